import { verifyChain } from "../../src/access/audit/verify-chain.ts";
import type { FirstRunRegion } from "../../src/start/first-run/first-run.ts";
import type { Store } from "../../src/store/db.ts";
import { publicPartOf } from "../support/calls/invite-codes.ts";
import { answerOf, type History, type Operation } from "./history.ts";

interface AuditRow {
  action: string;
  target: string;
  details: string;
}

/**
 * Compares what the store holds with what was asked and acknowledged. R1: an acknowledged write survives. R2: one
 * Idempotency-Key, one effect. Every audit row has its effect and every effect its audit row.
 */
export async function judge(store: Store, history: History, first: FirstRunRegion): Promise<void> {
  const audit = await store.query<AuditRow>(
    "select action, target, details from audit_log where organization_id = $1 and actor_kind = 'person' order by seq",
    [first.organization_id],
  );
  const logged = (action: string) => audit.filter((row) => row.action === action).map((row) => row.target);
  const loggedInvites = (action: string) => logged(action).map(publicPartOf);
  const projects = await store.query<Made>("select id, name as tag from projects where id <> $1", [first.project_id]);
  const keys = await store.query<Made>("select id, label as tag from api_keys where label like 'tag-%'");
  const invites = await store.query<Made>("select code as id, email as tag from invites where project_id = $1", [
    first.project_id,
  ]);

  judgeMade(history, "project", projects, logged("project.created"), "project_id");
  judgeMade(history, "key", keys, logged("key.created"), "key_id");
  judgeInvites(history, invites, loggedInvites("invite.created"), loggedInvites("invite.deleted"));
  await judgeRoles(store, history, first, audit);

  const verdict = await verifyChain(store, first.organization_id);
  if (!verdict.valid) history.complain(`The audit chain is broken at row ${verdict.broken_at}.`);
}

interface Made {
  id: string;
  tag: string;
}

/** What was made once is there once, under the id that was answered, and the log tells of exactly these. */
function judgeMade(history: History, kind: Operation["kind"], made: Made[], logged: string[], idName: string): void {
  const byTag = groupByTag(made);
  for (const operation of history.of(kind)) {
    const found = byTag.get(operation.tag) ?? [];
    byTag.delete(operation.tag);
    if (found.length > 1) history.complain(`${kind} ${operation.tag} is there ${found.length} times.`);
    if (operation.state === "done" && found[0] !== answerOf(operation)[idName]) {
      history.complain(`${kind} ${operation.tag} was acknowledged, and it is not there.`);
    }
  }
  for (const tag of byTag.keys()) history.complain(`${kind} ${tag} is there, and nobody asked for it.`);
  sameIds(
    history,
    kind,
    made.map((each) => each.id),
    logged,
  );
}

function judgeInvites(history: History, kept: Made[], created: string[], deleted: string[]): void {
  const there = new Map(kept.map((each) => [publicPartOf(each.id), each.tag.replace("@example.org", "")]));
  const codeOf = new Map([...there].map(([code, tag]) => [tag, code]));
  const isDeleted = new Set(deleted);
  const deletes = new Map(history.of("delete invite").map((each) => [publicPartOf(each.target ?? ""), each]));
  if (isDeleted.size !== deleted.length) history.complain("An invite was deleted twice.");
  if (there.size !== kept.length || codeOf.size !== kept.length) history.complain("An address was invited twice.");
  sameIds(history, "invite", [...there.keys(), ...deleted], created);
  for (const operation of history.of("invite")) {
    if (operation.state !== "done") continue;
    const code = publicPartOf(answerOf(operation).invite_code ?? "");
    const gone = deletes.get(code);
    const isThere = there.has(code);
    if (isThere === isDeleted.has(code)) history.complain(`Log and store differ about the invite ${operation.tag}.`);
    if (!gone && !isThere) history.complain(`invite ${operation.tag} was acknowledged, and it is not there.`);
    if (gone?.state === "done" && isThere) history.complain(`The deletion ${gone.tag} was acknowledged, and undone.`);
  }
  for (const code of isDeleted) if (!deletes.has(code)) history.complain(`Nobody asked to delete the invite ${code}.`);
}

/** Each person's role has one writer: it is the last acknowledged one, or that of the one call that was lost after it. */
async function judgeRoles(store: Store, history: History, first: FirstRunRegion, audit: AuditRow[]): Promise<void> {
  const members = await store.query<{ user_id: string; actions: string }>(
    "select user_id, actions from memberships where project_id = $1",
    [first.project_id],
  );
  const changes = Map.groupBy(history.of("role"), (operation) => operation.target);
  const rows = Map.groupBy(
    audit.filter((row) => row.action === "user.role_changed"),
    (row) => row.target,
  );
  for (const { user_id, actions } of members) {
    const asked = changes.get(user_id) ?? [];
    const seen = rows.get(user_id) ?? [];
    const lastDone = asked.findLastIndex((operation) => operation.state === "done");
    const possible = asked.slice(Math.max(0, lastDone)).map(wantedActions);
    const logged = seen.at(-1);
    if (asked.length > 0 && lastDone >= 0 && !possible.includes(actions)) {
      history.complain(`${user_id} has the role "${actions}", and the last acknowledged one is "${possible[0]}".`);
    }
    if (logged && (JSON.parse(logged.details).actions as string[]).join(" ") !== actions) {
      history.complain(`The log's last role of ${user_id} is ${logged.details}, and the store has "${actions}".`);
    }
    const done = asked.filter((operation) => operation.state === "done").length;
    if (seen.length < done || seen.length > asked.length) {
      history.complain(`${user_id} was changed ${seen.length} times; ${done} of ${asked.length} were acknowledged.`);
    }
  }
}

const wantedActions = (operation: Operation): string => {
  const { permissions } = operation.body as { permissions: { items: { platformDefault: { actions: object } } } };
  return Object.keys(permissions.items.platformDefault.actions).join(" ");
};

function groupByTag(made: Made[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, tag } of made) groups.set(tag, [...(groups.get(tag) ?? []), id]);
  return groups;
}

function sameIds(history: History, kind: string, effects: string[], logged: string[]): void {
  const [inStore, inLog] = [new Set(effects), new Set(logged)];
  if (inLog.size !== logged.length) history.complain(`The log tells of one ${kind} twice.`);
  for (const id of inStore) if (!inLog.has(id)) history.complain(`The ${kind} ${id} has no audit row.`);
  for (const id of inLog) if (!inStore.has(id)) history.complain(`The audit row of the ${kind} ${id} has no effect.`);
}
