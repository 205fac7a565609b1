import type * as z from "zod";
import type { AuditEntry } from "../access/audit/audit.ts";
import type { Needs } from "../access/callers/authorize.ts";
import type { Changed, ChangingScope } from "../access/changing-scope.ts";
import type { DirectoryRequests } from "../access/directory/recent-requests.ts";
import type { InviteCodes } from "../access/invite-code-port.ts";
import type { Outbox } from "../access/mails/mail-queue.ts";
import type { Scope } from "../access/scope.ts";
import type { EventRoom } from "../agents/events/event-room.ts";
import type { AssistantDocuments } from "../identity/assistant-documents.ts";
import type { PageOrigin } from "../identity/page-origin.ts";
import type { PublicScope } from "../identity/public-scope.ts";
import type { Sso } from "../identity/sso/sso.ts";
import type { Log } from "../kernel/log.ts";
import type { ProblemCode } from "../kernel/problem.ts";
import type { WrittenJson } from "../kernel/strict-json.ts";
import type { StepRunPorts } from "../runs/single-step/single-step.ts";
import type { Worker } from "../runs/worker/worker.ts";
import type { Db } from "../store/db.ts";
import type { SandboxControl } from "../transport/sandbox-control.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import type { Vault } from "../vault/vault.ts";
import type { LiveStream } from "../webhooks/live/live-stream.ts";
import type { WebhookRoom } from "../webhooks/webhook-room.ts";
import type { RateLimits } from "./rate-limits/rate-limiter.ts";

/** The services that own a secret, a socket or a timer. Operations receive them beside the store. */
export interface Rooms {
  log: Log;
  limits: RateLimits;
  outbox: Outbox;
  /** The lifetime of an invite unless the call sets another. */
  inviteDays: number;
  /** What the store calls an invite, and its code. */
  inviteCodes: InviteCodes;
  /** The address of the region's API, which assistants know as its issuer. */
  baseUrl: string;
  /** The address of our pages, for mails and passkeys. */
  pages: PageOrigin;
  /** Sign-in at the organizations' own identity providers. */
  sso: Sso;
  assistantDocuments: AssistantDocuments;
  vault: Vault;
  seal: Seal;
  steps: StepRooms;
  /** Computes expressions, schemas and everything else that callers choose. */
  compute: Compute;
  runs: Pick<Worker, "wake" | "start" | "hold">;
  events: EventRoom;
  webhooks: WebhookRoom;
  /** The sandboxes that this server runs itself; null where it runs none. */
  sandboxes: SandboxControl | null;
  /** What the organizations' directories sent last. */
  directoryRequests: DirectoryRequests;
}

/** What a run of one step needs. */
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
  | "webhooks"
  | "sandboxes";

/** One operation. Validation, OpenAPI, the reference page, the audit log and the role check all read this value. */
export interface Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** Names in braces are members of the input. */
  path: `/latest/${string}`;
  area: Area;
  summary: string;
  description?: string;
  needs: Needs;
  /** The project may also be named in the body, as `project_id`. */
  projectInBody?: true;
  /** The action that the audit log names, or null where nothing is changed. */
  audit: string | null;
  /** The path is reserved for a later release: every known caller gets `not_available`. */
  reserved?: true;
  /** The problems of this operation, beside those that every operation has. */
  refuses: ProblemCode[];
  /**
   * It changes how the person signs in, or gives lasting access: a session must have been confirmed shortly before, and a
   * key must not be restricted.
   */
  confirmed?: true;
  /** It is part of setting up a second factor, and open to a session that may do nothing else yet. */
  whileEnrolling?: true;
  /** It calls other systems, so it runs outside of any transaction; see `externalOperation`. */
  external?: true;
  /** All it does outside of a transaction is prepare: one `change` does everything, and its value is the answer. */
  changesOnce?: true;
  /**
   * It calls other systems before its one `change`, whose value is the answer and is kept in that transaction. Unlike with
   * `changesOnce`, a lease holds the Idempotency-Key meanwhile, so that no repeat calls the other systems beside it.
   */
  answersWithChange?: true;
  /** The rate limit that it counts against beside `default`: changes of projects, people and organizations are writes. */
  countsAs?: "write" | "run";
  /** It only reads, and the caller need not see what happens meanwhile: a replica may answer, if there is one. */
  fromReplica?: true;
  /** Replaces the limit of its area. */
  bodyBytesMax?: number;
  /** The answer holds a secret: the copy for a repeat is sealed, and deleted after an hour. */
  answersSecret?: true;
  /** The answer has an `invite_code`: the copy for a repeat names the invite as the store does. */
  answersCode?: true;
  input: I;
  output: O;
  /** A body that works, for the reference page. */
  example: z.input<I>;
  /** `WrittenJson` is for operations without audit whose answer is JSON text already. */
  run(scope: Scope, input: z.output<I>, rooms: Rooms): Promise<z.input<O> | WrittenJson>;
  /** For callers that accept server-sent events: a stream in place of one answer. The operation changes nothing. */
  stream?(scope: Scope, input: z.output<I>, rooms: Rooms): Promise<LiveStream>;
  answerAgain?(scope: Scope, reference: string, rooms: Rooms): Promise<z.input<O>>;
  auditOf?(input: z.output<I>, output: z.input<O>): Omit<AuditEntry, "action">;
}

type Path = Operation["path"];

/** An operation with the types of its wire format. They exist for the compiler alone: the typed client reads them. */
export type Typed<P extends Path, I extends z.ZodType, O extends z.ZodType> = Operation & {
  readonly wire?: { path: P; input: z.input<I>; output: z.output<O> };
};

/** Checks one definition against its own input and output. */
export const operation = <const P extends Path, I extends z.ZodType, O extends z.ZodType>(
  definition: Operation<I, O> & { path: P },
): Typed<P, I, O> => definition as unknown as Typed<P, I, O>;

/** The scope of an operation that waits for other systems. */
export interface ExternalScope extends ChangingScope {
  /** The same as `change` without the second check: it stores what has happened already. */
  record<T>(work: (inside: Scope) => Promise<Changed<T>>): Promise<T>;
  /** Whether a repeat of the call, after a crash too, must find what this one began. */
  hasIdempotencyKey: boolean;
  /** Names what the operation begins in the slot of the Idempotency-Key, in the transaction that begins it. */
  begin(db: Db, reference: string): Promise<void>;
}

interface ExternalOperation<I extends z.ZodType, O extends z.ZodType>
  extends Omit<Operation<I, O>, "run" | "external"> {
  run(scope: ExternalScope, input: z.output<I>, rooms: Rooms): Promise<z.input<O> | WrittenJson>;
  /**
   * Serves a repeat of a call that still runs, or that a crash ended: it returns the answer for what the first call began,
   * which each `change` names. An operation that changes something has this, `changesOnce` or `answersWithChange`, or a
   * repeat after a crash would make the change again.
   */
  answerAgain?(scope: Scope, reference: string, rooms: Rooms): Promise<z.input<O>>;
}

/** An operation that calls other systems: no transaction is open while it waits for them. */
export const externalOperation = <const P extends Path, I extends z.ZodType, O extends z.ZodType>(
  definition: ExternalOperation<I, O> & { path: P },
): Typed<P, I, O> => ({ ...definition, external: true }) as unknown as Typed<P, I, O>;

interface PublicOperation<I extends z.ZodType, O extends z.ZodType>
  extends Omit<Operation<I, O>, "run" | "external" | "needs" | "answerAgain" | "auditOf"> {
  run(scope: PublicScope, input: z.output<I>, rooms: Rooms): Promise<z.input<O>>;
}

/** An operation for people who have not signed in. Its rate limit counts per address, and it ignores an Idempotency-Key. */
export const publicOperation = <const P extends Path, I extends z.ZodType, O extends z.ZodType>(
  definition: PublicOperation<I, O> & { path: P },
): Typed<P, I, O> => ({ ...definition, needs: "nobody" }) as unknown as Typed<P, I, O>;
