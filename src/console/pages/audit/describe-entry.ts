import type { RecordOf } from "../../../client/wire.ts";

/** A row of the audit log, and how it reads on screen. */

export type Entry = RecordOf<"/latest/audit/list">;

/** The kinds of things that are changed: the part of an action before its dot. */
export const kinds: Record<string, string> = {
  agent: "Agent",
  codes: "One-time codes",
  connection: "Account",
  directory: "Directory",
  domain: "Domain",
  event: "Event",
  group: "Group",
  identity: "Sign-in identity",
  invite: "Invite",
  key: "API key",
  organization: "Organization",
  passkey: "Passkey",
  password: "Password",
  project: "Project",
  run: "Run",
  sandbox: "Sandbox",
  schedule: "Schedule",
  service_user: "Service user",
  session: "Session",
  sign_up: "Sign-up",
  single_sign_on: "Single sign-on",
  step: "Step",
  tool: "Tool",
  user: "Person",
  webhook: "Webhook",
};

/** "max_role" as "Max role". */
export const sentence = (words: string): string =>
  `${words.slice(0, 1).toUpperCase()}${words.slice(1).replaceAll("_", " ")}`;

/** "invite.created" as "Invite created". */
export function actionOf(action: string): string {
  const [kind = "", ...rest] = action.split(".");
  return `${kinds[kind] ?? sentence(kind)} ${rest.join(" ").replaceAll("_", " ")}`.trim();
}

const actors: Record<string, string> = { operator: "Operator", directory: "Directory", nobody: "Nobody signed in" };

/** Who did it: the address where it is known. */
export function whoOf({ actor, user_id }: Entry, emails: ReadonlyMap<string, string>): string {
  return emails.get(user_id ?? "") ?? actors[actor] ?? user_id ?? sentence(actor);
}

/** The name of a tool, a step, an agent or an account by its id, or null. */
export type FindName = (id: string) => string | null;

/** The details in one line. It begins with what was changed, where that has a name and is not among them. */
export function shortDetails({ details, target }: Entry, findName: FindName): string {
  const parts = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  const shown = parts.map((part) => detailOf(part, findName));
  const changed = target === null ? null : findName(target);
  const isAmong = changed === null || shown.some(([, text]) => text === changed);
  const words = shown.map(([name, text]) => `${name}: ${text}`);
  return [...(isAmong ? [] : [changed]), ...words].join(" · ");
}

const idWords: Record<string, string> = {
  connection_id: "Account",
  step_id: "Step",
  tool_id: "Tool",
  agent_id: "Agent",
};

/** A detail as a person reads it: what it is called, and its value. An id gives way to the name that it stands for. */
export function detailOf([name, value]: [name: string, value: unknown], findName: FindName): [string, string] {
  if (name === "actions" && Array.isArray(value)) return ["Role", value.map(roleWord).join(", ")];
  const found = typeof value === "string" ? findName(value) : null;
  return found === null ? [sentence(name), textOf(value)] : [idWords[name] ?? sentence(name), found];
}

/** "role:viewer" as "viewer". */
const roleWord = (action: unknown): string => String(action).replace(/^role:/, "");

/** A value as a person reads it. */
export function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.join(", ");
  if (isPlainGroup(value)) {
    return Object.entries(value)
      .map(([name, inner]) => `${sentence(name)} ${textOf(inner)}`)
      .join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Names with one value each, which one line can show. */
const isPlainGroup = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((inner) => typeof inner !== "object" || inner === null);
