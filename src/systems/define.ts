import type * as z from "zod";
import type { AccessLevel, Identity, LimitedAccount } from "./account.ts";
import type { SignIn } from "./sign-in.ts";
import type { Answer, Done, Effect, Failure, Method, StepContext, StepRequest, Work } from "./work.ts";

/**
 * What we know of the outside world. Everything here is a value or a function without effects: a step says what to send, and
 * never sends. The clock is looked at only where an answer does not tell its own time.
 */

/** How much of one limit a request takes, and what the limit is. */
export interface Demand {
  /**
   * The external account, property or group that the limit belongs to: `marketing|https://host`. It is this organization's own
   * account of it: what other organizations use of the same thing is neither seen nor counted.
   */
  subject: string;
  /** What people call it: burst, daily, concurrent, core tokens per hour … */
  name: string;
  kind: "window" | "calendar" | "concurrent" | "reported";
  /** In one window; "reported" limits are known only once the system has told them. */
  max: number | null;
  /** Calls are 1; tokens are an estimate that the answer settles. */
  amount: number;
  /** With "window": a sliding window of so many seconds. */
  windowSeconds?: number;
  /** With "calendar": when it starts anew, in the system's own time zone. */
  resets?: "hourly" | { daily: string };
  /** With "window": the system counts it for our own OAuth client, so all organizations have it together. */
  shared?: true;
  /** Whether the account reaches what the limit belongs to is known once a call was let in: before, it is shown no use of it. */
  onceLetIn?: true;
}

/** What an answer told about a limit. */
export interface ReportedLimit {
  subject: string;
  name: string;
  remaining: number;
  max?: number;
  /** What this request really took, where the system says so. */
  taken?: number;
  resetsAt?: Date;
  /** The same as a span, counted from the answer: it holds whatever time the system's clock shows. */
  resetsInSeconds?: number;
  /** It is about a limit of our own OAuth client, and the system says so. */
  shared?: true;
}

/** A thing that policies can be narrowed to: a project, a property, a list. */
export interface Resource {
  kind: "project" | "deployment" | "property" | "account" | "list" | "campaign";
  id: string;
  /** The same on all names of one thing, where it has several. */
  same?: string;
}

/** Everything that is known of one system. `index.ts` lists them all. */
export interface System<Id extends string = string> {
  id: Id;
  title: string;
  /** The product it is compatible with. */
  vendor: string;
  /** What else people type when they look for it. */
  words: readonly string[];
  /** How accounts are connected. */
  signIn: SignIn;
  /** The beginning that every path of its API has. */
  pathPrefix: RegExp;
  /**
   * How long it may still be at work on a request after its answer was lost: a look that finds nothing proves nothing before. Null where
   * nobody knows, and a person is asked.
   */
  settlesWithinSeconds: number | null;
  /**
   * The longest that it works on one call before it gives up itself. Where our own time-out ends a call earlier, it is still one of those
   * at once until then.
   */
  worksSecondsMax: number;
  /** What goes onto every request beside the credential, such as the team an account acts for. */
  complete(request: StepRequest, identity: Identity): StepRequest;
  /** Null where the answer is a success. */
  failure(answer: Answer, request: StepRequest): Failure | null;
  /** What must be free before the request may leave. `origin` is where it goes. */
  demands(request: StepRequest, origin: string, account: LimitedAccount): Demand[];
  reportedLimits(answer: Answer, request: StepRequest, origin: string, identity: Identity): ReportedLimit[];
  /** The method that the system will act by, where a request can say another one than it is sent with. */
  meantMethod?(request: StepRequest): Method;
  /** What the request touches, as far as it says so itself; null where that cannot be told. */
  resources(request: StepRequest, identity: Identity): Resource[] | null;
  /**
   * The same thing under every name a policy may use for it: a project by id and by name, a deployment by its project.
   * Asked only where a policy needs it.
   */
  resolve?(resource: Resource): Work<Resource[]>;
}

export interface Option {
  value: string;
  label: string;
  hint?: string;
}

/** The values that a drop-down offers, a page at a time. */
export interface OptionSource {
  /** `query` is what a person has typed, `input` what they have filled in so far. */
  work(asked: { query: string; after: string | null; input: Record<string, unknown> }): Work<{
    options: Option[];
    next: string | null;
  }>;
}

export interface Example {
  title: string;
  /** Works as it stands against the sandboxes' seed. */
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
  /** The strongest effect it can have. */
  effect: Effect;
  /** What this input will do, where that depends on it. */
  effectOf?(input: z.output<I>): Effect;
  /** Members of this input, at any depth, whose values are kept nowhere. */
  hides?(input: z.output<I>): readonly string[];
  /** What the connected account must be allowed at the system. */
  needsLevel: AccessLevel | null;
  input: I;
  output: O;
  examples: readonly Example[];
  options?: Readonly<Record<string, OptionSource>>;
  work(input: z.output<I>, context: StepContext): Work<Done<z.input<O>>>;
  /** What is shown of an answer that was a refusal, where that is more than its status and its body. */
  refusedOutput?(answer: Answer): z.input<O>;
  /** The request a dry run shows, where it is not the first one that `work` yields. */
  preview?(input: z.output<I>, context: StepContext): StepRequest;
  /**
   * Where `reconcile` goes by a name and not by a mark of our own: the names of what it makes. A record of one of them may be
   * another run's.
   */
  mistakable?(input: z.output<I>): readonly string[];
  /**
   * Looks whether a write whose answer was lost has happened. Answers its output, "did not", or "cannot tell".
   * `askedAt` is when it was sent, by the system's own clock as far as its answers have told it: read it after an answer.
   */
  reconcile?(
    input: z.output<I>,
    context: StepContext & { askedAt: Date },
  ): Work<Done<z.input<O>> | "did not" | "cannot tell">;
  /** What it will cost beyond one call, for people to see beforehand. */
  cost?(input: z.output<I>): { calls: number; tokens?: number; note?: string };
}

/** Keeps the types of one definition together; the list forgets them. */
export const step = <I extends z.ZodType, O extends z.ZodType>(definition: Step<I, O>): Step =>
  definition as unknown as Step;
