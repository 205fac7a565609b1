import type { Wires } from "../api/index.ts";

/** The types of the API, read from its own definitions: nothing is generated, and no server code comes along. */

export type Path = Wires["path"];
type At<P extends Path> = Extract<Wires, { path: P }>;

/** The ids in the path are members of the input. */
export type InputOf<P extends Path> = At<P>["input"];
export type OutputOf<P extends Path> = At<P>["output"];

/** Paths of lists, which return `{results, next}`. */
export type ListPath = {
  [P in Path]: OutputOf<P> extends { results: unknown[]; next: string | null } ? P : never;
}[Path];
export type RecordOf<P extends ListPath> = OutputOf<P> extends { results: (infer R)[] } ? R : never;
