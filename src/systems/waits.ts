import type * as z from "zod";
import type { System } from "./define.ts";
import type { Work } from "./work.ts";

/**
 * A built-in step of tools that waits for something at a system. The run reads its state from time to time, and no
 * worker holds the run meanwhile.
 */
export interface SystemWait<Kind extends string = string, I extends z.ZodObject = z.ZodObject> {
  /** Also the word in the definition of a tool: `wait_for_deployment`. */
  id: string;
  title: string;
  system: System;
  /** What `waiting_for.kind` of the run says meanwhile. */
  kind: Kind;
  /** A strict object; every such step also has `timeout_seconds`. */
  input: I;
  /** The pause between two reads: it grows from the first of these to the second. */
  pauseSeconds: { min: number; max: number };
  /** Reads the state once. */
  read(input: z.output<I>): Work<Seen>;
}

export interface Seen {
  /** The output of the step, once it is final. */
  output: object;
  isFinal: boolean;
  /** For a sentence: "The deployment dpl_1". */
  what: string;
  /** In the system's word. */
  state: string;
}

/** Checks one definition against its own input. */
export const systemWait = <const Kind extends string, I extends z.ZodObject>(
  definition: SystemWait<Kind, I>,
): SystemWait<Kind> => definition as unknown as SystemWait<Kind>;
