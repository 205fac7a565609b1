import type { StepWires } from "../systems/index.ts";
import type { CallOptions } from "./caller.ts";
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

/** One page as a promise; all records, page after page, in `for await`. */
export interface Listed<P extends ListPath> extends Promise<OutputOf<P>>, AsyncIterable<RecordOf<P>> {}

type Answer<P extends Path> = P extends ListPath ? Listed<P> : Promise<OutputOf<P>>;
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

type RunOutput = Extract<OutputOf<"/latest/steps/{step_id}/run">, { run_id: string }>;
type Preview = Exclude<OutputOf<"/latest/steps/{step_id}/run">, { run_id: string }>;

export type StepRun<I extends StepId> =
  | (Omit<RunOutput, "output" | "status"> & { status: "succeeded"; output: StepOutput<I> })
  | (Omit<RunOutput, "output" | "status"> & {
      status: Exclude<RunOutput["status"], "succeeded">;
      output: StepOutput<I> | null;
    });

interface StepCall<I extends StepId> {
  connection_id: string;
  input?: StepInput<I>;
  wait_seconds?: number;
}

interface RunStep {
  <I extends StepId>(stepId: I, call: StepCall<I> & { dry_run?: false }, options?: CallOptions): Promise<StepRun<I>>;
  <I extends StepId>(stepId: I, call: StepCall<I> & { dry_run: true }, options?: CallOptions): Promise<Preview>;
}

export type Groups = Omit<AllGroups, "steps" | "runs"> & {
  steps: Omit<AllGroups["steps"], "run"> & { run: RunStep };
  runs: AllGroups["runs"] & {
    /** The run each time that it has changed, until it ends or waits for a person. */
    follow(runId: string, options?: { signal?: AbortSignal }): AsyncIterable<OutputOf<"/latest/runs/{run_id}/get">>;
  };
};
