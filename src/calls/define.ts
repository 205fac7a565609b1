import * as z from "zod";
import type { AuditEntry } from "../access/audit/audit.ts";
import type { Needs } from "../access/callers/authorize.ts";
import type { Post } from "../access/mails/mails.ts";
import type { Nobody, Person, Scope } from "../access/scope.ts";
import type { PagePlace } from "../identity/page-origin.ts";
import type { KnownBrowser } from "../identity/passwords/known-browser.ts";
import type { Sso } from "../identity/sso/sso.ts";
import type { WrittenJson } from "../kernel/json.ts";
import type { ProblemCode } from "../kernel/problem.ts";
import type { Worker } from "../runs/queue/worker.ts";
import type { StepRunPorts } from "../runs/single-step.ts";
import type { Db } from "../store/db.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import type { Vault } from "../vault/vault.ts";
import type { WebhookRoom } from "../webhooks/room.ts";
import type { RateLimits } from "./rate-limits.ts";

/** What operations use beside the store: things that own a secret, a socket or a timer. */
export interface Rooms {
  limits: RateLimits;
  post: Post;
  /** An invite lives this long unless the call says otherwise. */
  inviteDays: number;
  /** Where people open our pages, which mails and passkeys have to know. */
  pages: PagePlace;
  /** Sign-in at the organizations' own identity providers. */
  sso: Sso;
  vault: Vault;
  steps: StepRooms;
  /** Where expressions, schemas and whatever else callers choose are computed. */
  compute: Compute;
  runs: Pick<Worker, "wake" | "start" | "hold">;
  webhooks: WebhookRoom;
}

/** What running a step takes, beside the store of the region. */
export type StepRooms = Omit<StepRunPorts, "begin" | "hold">;

export type Area =
  | "projects"
  | "invites"
  | "users"
  | "keys"
  | "sessions"
  | "sign_in"
  | "service_users"
  | "single_sign_on"
  | "directory"
  | "organizations"
  | "audit"
  | "systems"
  | "connections"
  | "steps"
  | "tools"
  | "schedules"
  | "runs"
  | "limits"
  | "agents"
  | "events"
  | "webhooks";

/** One operation: everything that validation, OpenAPI, the reference page, the audit log and the roles are made from. */
export interface Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** Names in braces are members of the input that stand in the path. */
  path: `/latest/${string}`;
  area: Area;
  summary: string;
  description?: string;
  needs: Needs;
  /** The project may also be named in the body, as `project_id`. */
  projectInBody?: true;
  /** The word the audit log keeps for it, or null where nothing is changed. */
  audit: string | null;
  /** The path is kept for something that is not there yet: whoever is known here is told so, whatever they send. */
  reserved?: true;
  /** What it can answer beside the problems that every operation has. */
  refuses: ProblemCode[];
  /** It changes how the account is opened: a session must have been confirmed shortly before. */
  confirmed?: true;
  /** It is part of setting up a second factor, and open to a session that may do nothing else yet. */
  whileEnrolling?: true;
  /** It calls other systems, so it runs outside of any transaction; see `outsideOperation`. */
  outside?: true;
  /** Outside of a transaction it only prepares: one `change` does everything, and its value is the answer. */
  changesOnce?: true;
  /** It counts against the limit of runs instead of the one of changes. */
  countsAs?: "run";
  /** Where its area's size of bodies does not fit. */
  bodyBytesMax?: number;
  /** The answer holds a secret: where it is kept for a repeat, it is sealed, and for an hour only. */
  answersSecret?: true;
  input: I;
  output: O;
  /** A body that works, for the reference page. */
  example: z.input<I>;
  /** `WrittenJson` is for operations without audit, whose answer somebody has written already. */
  run(scope: Scope, input: z.output<I>, rooms: Rooms): Promise<z.input<O> | WrittenJson>;
  answerAgain?(scope: Scope, reference: string, rooms: Rooms): Promise<z.input<O>>;
  auditOf?(input: z.output<I>, output: z.input<O>): Omit<AuditEntry, "action">;
}

/** Keeps the types of one definition together; the lists of operations forget them. */
export const operation = <I extends z.ZodType, O extends z.ZodType>(definition: Operation<I, O>): Operation =>
  definition as unknown as Operation;

/** What one change of an outside operation leaves in the audit log, and what it answers to the operation itself. */
export interface Changed<T> extends Omit<AuditEntry, "action"> {
  value: T;
  /** Names what was begun, for `answerAgain`. */
  reference?: string;
}

/** The scope of an operation that waits for other systems: it reads from the store, and changes it a step at a time. */
export interface OutsideScope extends Scope {
  /**
   * One transaction with its audit row: behind the organization's lock, with the caller looked at once more. May be called
   * several times; what it leaves stands, whatever happens to the call afterwards.
   */
  change<T>(work: (inside: Scope) => Promise<Changed<T>>): Promise<T>;
  /** The Idempotency-Key's place is taken: say what it stands for, in the transaction that makes it. */
  begin(db: Db, reference: string): Promise<void>;
}

interface OutsideOperation<I extends z.ZodType, O extends z.ZodType> extends Omit<Operation<I, O>, "run" | "outside"> {
  run(scope: OutsideScope, input: z.output<I>, rooms: Rooms): Promise<z.input<O> | WrittenJson>;
  /**
   * A call with the same Idempotency-Key came while the first one was running, or after a crash in the middle: answers from
   * what was begun. Without it such a call is refused until the first one has ended.
   */
  answerAgain?(scope: Scope, reference: string, rooms: Rooms): Promise<z.input<O>>;
}

/** An operation that calls other systems: no transaction is open while it waits for them. */
export const outsideOperation = <I extends z.ZodType, O extends z.ZodType>(
  definition: OutsideOperation<I, O>,
): Operation => ({ ...definition, outside: true }) as unknown as Operation;

/** What a public operation changes: in whose organization, under which word, and by whom, now that it is known. */
export interface PublicChange<T> extends AuditEntry {
  value: T;
  actor?: Person;
  /** Further rows, behind the first. */
  also?: AuditEntry[];
}

/** The scope of an operation that anybody may call: it reads from the store, and changes it a transaction at a time. */
export interface PublicScope extends Scope<Nobody> {
  userAgent: string;
  ip: string;
  /** What a browser that has signed in before says of itself. */
  browser: KnownBrowser | null;
  seal: Seal;
  /** One transaction behind the organization's lock, with its audit row. */
  change<T>(organizationId: string, work: (inside: PublicScope) => Promise<PublicChange<T>>): Promise<T>;
  setSession(token: string | null): void;
  rememberBrowser(userId: string, strongly: boolean): void;
}

interface PublicOperation<I extends z.ZodType, O extends z.ZodType>
  extends Omit<Operation<I, O>, "run" | "outside" | "needs" | "answerAgain" | "auditOf"> {
  run(scope: PublicScope, input: z.output<I>, rooms: Rooms): Promise<z.input<O>>;
}

/** An operation for people who have not signed in yet. Limited by the caller's address; an Idempotency-Key means nothing to it. */
export const publicOperation = <I extends z.ZodType, O extends z.ZodType>(
  definition: PublicOperation<I, O>,
): Operation => ({ ...definition, needs: "nobody" }) as unknown as Operation;

/** Members that every list takes. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(50).meta({ description: "How many at most" }),
  after: z
    .string()
    .regex(/^[\x21-\x7e]{0,200}$/)
    .nullish()
    .meta({ description: "The `next` of the page before" }),
};

export const pageOutput = <T extends z.ZodType>(record: T) =>
  z.object({ results: z.array(record), next: z.string().nullable().meta({ description: "Null on the last page" }) });

/** One row more than asked tells whether there is a next page. */
export const onePageOf = (input: { limit: number; after?: string | null | undefined }) => ({
  after: input.after ?? "",
  limit: input.limit + 1,
});

const pageBytesMax = 1024 * 1024;

/**
 * How many rows of these sizes make up a page. "How many at most" is what `limit` says: a page ends early where its rows are
 * large, because a hundred of the largest would keep everybody else waiting.
 */
export function fittingOf(sizes: readonly number[], limit: number): number {
  let bytes = 0;
  const fitting = sizes.findIndex((size) => {
    bytes += size;
    return bytes > pageBytesMax;
  });
  return fitting < 0 ? limit : Math.min(limit, Math.max(1, fitting));
}

export function toPage<Row, Wire>(
  rows: Row[],
  limit: number,
  idOf: (row: Row) => string,
  toWire: (row: Row) => Wire,
): { results: Wire[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { results: shown.map(toWire), next: rows.length > limit && last !== undefined ? idOf(last) : null };
}

/** The same of a list that is there as a whole. Behind a place that it does not have comes nothing. */
export function pageAmong<T>(
  all: readonly T[],
  { limit, after }: { limit: number; after?: string | null | undefined },
  idOf: (item: T) => string,
): { results: T[]; next: string | null } {
  const start = after ? all.findIndex((item) => idOf(item) === after) + 1 || all.length : 0;
  return toPage(all.slice(start, start + limit + 1), limit, idOf, (item) => item);
}
