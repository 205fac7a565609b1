import type { StepWires } from "../systems/index.ts";
import type { CallOptions } from "./options.ts";
import type { InputOf, ListPath, OutputOf, Path, RecordOf } from "./wire.ts";

/** The groups and methods of the client, read from the operations' paths: `auth/invite/create` is `invites.create`. */

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Group<S extends string> = S extends "invite" ? "invites" : Camel<S>;
type Trimmed<P extends Path> = P extends `/latest/auth/${infer R}` ? R : P extends `/latest/${infer R}` ? R : never;

/** The names of the ids in a path. */
type IdNames<S extends string> = S extends `${string}{${infer N}}${infer R}` ? [N, ...IdNames<R>] : [];
type Ids<N extends string[]> = { [I in keyof N]: string };
/** The words of a path, without its ids. */
type Words<S extends string> = S extends `${infer A}/${infer R}`
  ? A extends `{${string}}`
    ? Words<R>
    : [Camel<A>, ...Words<R>]
  : S extends `{${string}}`
    ? []
    : [Camel<S>];
type Named<W extends string[]> = W extends [infer G extends string, ...infer R extends string[]] ? [Group<G>, ...R] : W;

type Rest<P extends Path> = Omit<InputOf<P>, IdNames<P>[number]>;
type InputArguments<I> =
  Record<never, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

/** One page of a list. `next` is the `after` of the next page, null on the last one. */
export interface Page<R> {
  results: R[];
  next: string | null;
}
/** One page as a promise; all records, page after page, in `for await`. */
export interface Listed<R, P = Page<R>> extends Promise<P>, AsyncIterable<R> {}

type Answer<P extends Path> = P extends ListPath ? Listed<RecordOf<P>, OutputOf<P>> : Promise<OutputOf<P>>;
type Method<P extends Path> = (...input: [...Ids<IdNames<P>>, ...InputArguments<Rest<P>>]) => Answer<P>;

type Nested<W extends string[], M> = W extends [infer A extends string, ...infer R extends string[]]
  ? { [K in A]: Nested<R, M> }
  : M;
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
type AllGroups = Intersection<{ [P in Path]: Nested<Named<Words<Trimmed<P>>>, Method<P>> }[Path]>;

/** A step by its id, with the types of its input and output. */
export type StepId = StepWires["id"];
type StepAt<I extends StepId> = Extract<StepWires, { id: I }>;
export type StepInput<I extends StepId> = StepAt<I>["input"];
export type StepOutput<I extends StepId> = StepAt<I>["output"];

type Run = Extract<OutputOf<"/latest/steps/{step_id}/run">, { run_id: string }>;
type Read = OutputOf<"/latest/steps/{step_id}/read">;
/** `T` with the output of the step: it is there once the status is `succeeded`. */
type WithOutput<T extends { status: string }, I extends StepId> =
  | (Omit<T, "output" | "status"> & { status: "succeeded"; output: StepOutput<I> })
  | (Omit<T, "output" | "status"> & { status: Exclude<T["status"], "succeeded">; output: StepOutput<I> | null });

export type StepRun<I extends StepId> = WithOutput<Run, I>;
export type StepRead<I extends StepId> = WithOutput<Read, I>;
/** What a step would send, and whether it may: `status` is `dry_run`. */
export type DryRun = Exclude<OutputOf<"/latest/steps/{step_id}/run">, { run_id: string }>;

export interface StepCall<I extends StepId> {
  connection_id: string;
  input?: StepInput<I>;
  wait_seconds?: number;
}
type Policy = Pick<InputOf<"/latest/steps/{step_id}/run">, "policy">;

interface RunStep {
  <I extends StepId>(stepId: I, call: StepCall<I> & { dry_run?: false }, options?: CallOptions): Promise<StepRun<I>>;
  <I extends StepId>(stepId: I, call: StepCall<I> & Policy & { dry_run: true }, options?: CallOptions): Promise<DryRun>;
  <I extends StepId>(
    stepId: I,
    call: StepCall<I> & Policy & { dry_run?: boolean },
    options?: CallOptions,
  ): Promise<StepRun<I> | DryRun>;
}
type ReadStep = <I extends StepId>(stepId: I, call: StepCall<I>, options?: CallOptions) => Promise<StepRead<I>>;

export type Groups = Omit<AllGroups, "steps" | "runs"> & {
  steps: Omit<AllGroups["steps"], "run" | "read"> & { run: RunStep; read: ReadStep };
  runs: AllGroups["runs"] & {
    /** The run each time that it has changed, until it ends or waits for a person. */
    follow(runId: string, options?: { signal?: AbortSignal }): AsyncIterable<OutputOf<"/latest/runs/{run_id}/get">>;
  };
};
