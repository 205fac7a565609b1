import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import type { AuditEntry } from "./audit/audit-entry.ts";
import type { Role } from "./permissions.ts";

export type OrganizationRole = "owner" | "member";

/** The account behind an API key or a session, as the store knew it when it was asked. */
export interface Person {
  kind: "person";
  userId: string;
  email: string;
  organizationId: string;
  organizationRole: OrganizationRole;
  /** What they came with: the id of an API key, or of a session. */
  keyId: string;
  by: "key" | "session";
  /** When the person last proved who they are; null for a key, which proves nothing about who holds it now. */
  confirmedAt: string | null;
  /** The session can do nothing yet but set up the second factor that the organization asks for. */
  enrolling?: true;
  /** What the key itself narrows its owner's rights to. */
  keyProjectIds: string[] | null;
  keyMaxRole: Role | null;
}

/** A narrowed key says less of its owner's rights than they have: what concerns the whole organization is beyond it. */
export const isNarrowed = ({ keyProjectIds, keyMaxRole }: Pick<Person, "keyProjectIds" | "keyMaxRole">): boolean =>
  keyProjectIds !== null || keyMaxRole !== null;

/** Whoever runs commands on the machine itself. */
export interface Operator {
  kind: "operator";
}

/** An organization's identity provider, through its SCIM token. */
export interface Directory {
  kind: "directory";
  directoryId: string;
}

/** Somebody who has not said who they are yet: at the sign-in page, or with an invite in hand. */
export interface Anonymous {
  kind: "nobody";
}

/** Who is asking, about which project, when, with which store. */
export interface Scope<Actor = Person> {
  db: Db;
  region: Region;
  now: () => Date;
  actor: Actor;
  /** The project of the call, once the caller's access to it is established. */
  projectId: string | null;
  requestId: string | null;
  ip: string | null;
  /** Tells whoever listens what the audit log keeps, in the same transaction. `appendAudit` calls it. */
  announce: Announce;
  /** Runs once the change is durable; forgotten where it does not come to that. */
  afterCommit(work: () => void): void;
  /** Runs where the change does not come about after all, or is tried again: takes back what was counted outside the store. */
  ifUndone(work: () => void): void;
  /** The answer sets the session cookie, or takes it away. Where there is no answer to set it on, nothing happens. */
  setSession?(token: string | null): void;
  /** Somebody has shown, in the browser that is answered, that the account is theirs; strongly where a password alone would not do. */
  rememberBrowser?(userId: string, strongly: boolean): void;
}

export type AnyScope = Scope<Person | Operator | Directory | Anonymous>;

export type Announce = (scope: AnyScope, organizationId: string, entry: AuditEntry) => Promise<void>;

/** Where nobody can be listening yet, or nobody should hear. */
export const announceNothing: Announce = async () => {};

/** The project of an operation that needs one; such an operation runs only after the project is established. */
export function projectOf(scope: Scope): string {
  if (scope.projectId === null) throw new Error("This operation runs without a project, and its rule asks for one.");
  return scope.projectId;
}
