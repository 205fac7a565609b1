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

/** The details in one line. */
export function shortDetails({ details }: Entry): string {
  const parts = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  return parts.map(([name, value]) => `${sentence(name)}: ${textOf(value)}`).join(" · ");
}

/** A value as a person reads it. */
export function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
