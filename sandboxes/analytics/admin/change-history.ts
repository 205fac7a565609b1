import type { Message } from "../wire/proto-json.ts";
import { type AdminScope, requireAccount, timestamp } from "./access.ts";
import { pageOf } from "./paging.ts";

const actions: Record<string, string> = { Create: "CREATED", Update: "UPDATED", Delete: "DELETED", Archive: "DELETED" };

/** Remembers a change that was just made, for the history of its account. */
export function noteChange(scope: AdminScope, method: string, resource: string, answer: object): void {
  const action = actions[/^(Create|Update|Delete|Archive)/.exec(method)?.[1] ?? ""];
  const { records } = scope;
  const name = "name" in answer ? String(answer.name) : resource;
  const account = records.properties.get(name.split("/").slice(0, 2).join("/"))?.account ?? name;
  if (!action || !records.accounts.has(account)) return;
  records.changes.push({
    account,
    id: String(records.nextId++),
    changeTime: timestamp(scope.clock),
    actorType: "USER",
    userActorEmail: scope.person.email,
    changes: [{ resource: name, action }],
  });
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Newest first. What a resource was like before and after is left out. */
export function searchChangeHistory(scope: AdminScope, account: string, message: Message): object {
  requireAccount(scope, account, "editor");
  const { property, earliestChangeTime = "", latestChangeTime = "9999" } = message as Record<string, string>;
  const [wanted, actors] = [textsOf(message.action), textsOf(message.actorEmail)];
  const found = scope.records.changes.filter(
    (event) =>
      event.account === account &&
      (!property || event.changes.some(({ resource }) => `${resource}/`.startsWith(`${property}/`))) &&
      (wanted.length === 0 || event.changes.some(({ action }) => wanted.includes(action))) &&
      (actors.length === 0 || actors.includes(event.userActorEmail)) &&
      event.changeTime >= earliestChangeTime &&
      event.changeTime <= latestChangeTime,
  );
  const query = new URLSearchParams();
  if (message.pageSize) query.set("pageSize", String(message.pageSize));
  if (message.pageToken) query.set("pageToken", String(message.pageToken));
  const shown = found.reverse().map(({ account: _, ...event }) => event);
  return pageOf(shown, "changeHistoryEvents", query, `${account} history`);
}
