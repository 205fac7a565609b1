import type * as z from "zod";
import type { AccessLevel, Identity, LimitedAccount } from "./account.ts";
import type { SentThen } from "./made-then.ts";
import type { SignIn } from "./sign-in.ts";
import type { Answer, Done, Effect, Failure, Method, StepContext, StepRequest, Work } from "./work.ts";

/**
 * What we know of the outside world. Everything here is a value or a pure function: a step says what to send, and never
 * sends. It reads the clock only if an answer does not carry its own time.
 */

/** How much of one limit a request takes, and what the limit is. */
export interface Demand {
  /**
   * The external account, property or group that the limit belongs to: `marketing|https://host`. It counts the use of
   * this organization only: what other organizations use of the same thing is neither visible nor counted.
   */
  subject: string;
  /** Its name for people: burst, daily, concurrent, core tokens per hour … */
  name: string;
  kind: "window" | "calendar" | "concurrent" | "reported";
  /** In one window; "reported" limits are known only once the system has reported them. */
  max: number | null;
  /** 1 for calls; an estimate for tokens, which the answer settles. */
  amount: number;
  /** With "window": a sliding window of this many seconds. */
  windowSeconds?: number;
  /** With "calendar": when it resets, in the system's own time zone. */
  resets?: "hourly" | { daily: string };
  /** With "calendar": nobody has said how much the account has. `max` is the least that there is, and refuses nothing. */
  isAssumed?: true;
  /** With "calendar": calls get a warning when little is left. It ends with this advice. */
  advice?: string;
  /** The system's own code for a call above the limit: what it would have answered if we had sent the call. */
  systemCode?: string;
  /** With "window": the system counts it for our own OAuth client, so all organizations share it. */
  shared?: true;
  /**
   * Only an authorized call shows that the account can reach the limit's subject: before that, its use is not shown.
   */
  onceAuthorized?: true;
}

/** What an answer reported about a limit. */
export interface ReportedLimit {
  subject: string;
  name: string;
  remaining: number;
  max?: number;
  /** What this request really took, if the system reports it. */
  taken?: number;
  /** What all programs together have used in this period, if the answer says that and not what is left. */
  usedSoFar?: number;
  resetsAt?: Date;
  /** The reset as a span from the answer on: independent of the system's clock. */
  resetsInSeconds?: number;
  /** The system says that it concerns a limit of our own OAuth client. */
  shared?: true;
}

/** A thing that policies can name: a project, a property, a list. */
export interface Resource {
  /** One of the system's `policyKinds`, or one that `resolve` turns into such. */
  kind: string;
  id: string;
  /** Equal for all names of one thing, if it has several. */
  same?: string;
}

/** Everything that we know of one system. `index.ts` lists them all. */
export interface System<Id extends string = string> {
  id: Id;
  title: string;
  /** The product that it is compatible with. */
  vendor: string;
  /** What it is called within a sentence: "a deployment platform". */
  inSentence: string;
  /** The page that shows how an account is connected, `docs/connect/<page>.md`, and its title; null if there is none yet. */
  guide: { page: string; title: string } | null;
  /** Other words that people search for. */
  words: readonly string[];
  /** How accounts are connected. */
  signIn: SignIn;
  /** The prefix of every path of its API. */
  pathPrefix: RegExp;
  /**
   * How long it may still work on a request whose answer was lost: before that, finding nothing proves nothing. Null if
   * unknown; a person then decides.
   */
  settlesWithinSeconds: number | null;
  /**
   * The longest that it works on one call before it gives up itself. If our own time-out ends a call earlier, the call
   * still counts as concurrent until then.
   */
  worksSecondsMax: number;
  /** The same for this request, if the system gives it up earlier. */
  worksSecondsOf?(request: Pick<StepRequest, "method" | "path">): number;
  /** Adds what every request needs beside the credential, such as the account's team. */
  complete(request: StepRequest, identity: Identity): StepRequest;
  /** Null if the answer is a success. */
  failure(answer: Answer, request: StepRequest): Failure | null;
  /** The limits that must allow the request before it is sent. `origin` is its destination. */
  demands(request: StepRequest, origin: string, account: LimitedAccount): Demand[];
  reportedLimits(answer: Answer, request: StepRequest, origin: string, identity: Identity): ReportedLimit[];
  /** The method that the system will execute, if a request can declare another one than it is sent with. */
  effectiveMethod?(request: StepRequest): Method;
  /** The kinds of resources that a policy can name. Each turns an id into the form in which the system compares it. */
  policyKinds: Readonly<Record<string, (id: string) => string>>;
  /** What the request touches, as far as it says itself; null if unknown. */
  resources(request: StepRequest, identity: Identity): Resource[] | null;
  /**
   * The same thing under every name that a policy may use: a project by id and by name, a deployment by its project.
   * Called only if a policy needs it.
   */
  resolve?(resource: Resource): Work<Resource[]>;
}

/** Below `/latest/documentation/`; null without a guide. */
export const guidePathOf = ({ guide }: Pick<System, "guide">): string | null => guide && `connect/${guide.page}`;

export interface Option {
  value: string;
  label: string;
  hint?: string;
  /** Of something that has one: its state in the system's word, and since when it is there. */
  state?: string;
  at?: string;
}

/** The values of a drop-down, a page at a time. */
export interface OptionSource {
  /** `query` is what the user has typed, `input` what they have filled in so far, `identity` whose account it is. */
  work(asked: { query: string; after: string | null; input: Record<string, unknown>; identity?: Identity }): Work<{
    options: Option[];
    next: string | null;
  }>;
}

export interface Example {
  title: string;
  /** Works unchanged against the sandboxes' seed. */
  input: Record<string, unknown>;
}

export interface Step<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** Also a URL segment, a CLI word, an MCP tool name and the file's name. */
  id: string;
  title: string;
  /** One line for people. */
  summary: string;
  /** A paragraph for agents: when to use it, and when not. */
  forModels: string;
  words: readonly string[];
  system: System;
  /** The strongest effect that it can have. */
  effect: Effect;
  /** The effect of this input, if it depends on it. */
  effectOf?(input: z.output<I>): Effect;
  /** Members of this input, at any depth, whose values are never stored. */
  hides?(input: z.output<I>): readonly string[];
  /** The access level that the connected account needs at the system. */
  needsLevel: AccessLevel | null;
  input: I;
  output: O;
  examples: readonly Example[];
  options?: Readonly<Record<string, OptionSource>>;
  work(input: z.output<I>, context: StepContext): Work<Done<z.input<O>>>;
  /** The output of a refused call, if it is more than status and body. */
  refusedOutput?(answer: Answer): z.input<O>;
  /** What to say of this input before anything is sent. A run says it again in its answer. */
  warningsOf?(input: z.output<I>): readonly string[];
  /** The request that a dry run shows, if it is not the first one that `work` yields. */
  preview?(input: z.output<I>, context: StepContext): StepRequest;
  /** With `preview`: what is read from the system before that request is complete. The approval names it. */
  readsFirst?: string;
  /**
   * If `reconcile` finds records by name and not by a marker of ours: the names that this input creates. A record with
   * such a name may be another run's.
   */
  ambiguousNames?(input: z.output<I>, identity: Identity): readonly string[];
  /**
   * Every name that this input gives to records or changes, under which the probe of another run may find them. Each is written to
   * the store before the request is sent, so there are some hundreds at most, and only who can write the record can use its name.
   */
  writtenNames?(input: z.output<I>, identity: Identity): readonly string[];
  /**
   * Checks whether a write whose answer was lost has happened. Returns its output, "did not", or "cannot tell"; "in part"
   * if some of it has happened, and to send all of it again does no harm once the system has settled.
   * It knows a record that it finds by its name from the time at which the record was made.
   */
  reconcile?(input: z.output<I>, context: StepContext & SentThen): Work<ProbeResult<z.input<O>>>;
  /**
   * Whether this output says that the record was there already: a repeat says so if the first request, whose answer was
   * lost, has made it.
   */
  saysPresent?(output: z.output<O>): boolean;
  /** If its output is a document of its own for a reader, such as a report: what it is called. */
  document?: { title: string; description: string };
  /** The cost beyond one call, shown to people beforehand. */
  cost?(input: z.output<I>): { calls: number; tokens?: number; note?: string };
}

/**
 * What a probe finds out about a write whose answer was lost. `names`: besides `ambiguousNames`, those under which another
 * run may have written what was found.
 */
export type ProbeResult<O> = (Done<O> & { names?: readonly string[] }) | "did not" | "in part" | "cannot tell";

/** A step with the types of its wire format. They exist for the compiler alone: the typed client reads them. */
export type TypedStep<Id extends string, I extends z.ZodType, O extends z.ZodType> = Step & {
  readonly wire?: { id: Id; input: z.input<I>; output: z.output<O> };
};

/** Checks one definition against its own input and output. */
export const step = <const Id extends string, I extends z.ZodType, O extends z.ZodType>(
  definition: Step<I, O> & { id: Id },
): TypedStep<Id, I, O> => definition as unknown as TypedStep<Id, I, O>;
