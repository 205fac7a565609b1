/** Messages between the server and a child process. */

export interface JobMessage {
  /** Jobs of one turn belong to one organization; a new number is a new turn. */
  turn: number;
  turnMilliseconds: number;
  name: string;
  input: unknown;
}

export type OverranReason = "too long" | "too big" | "too deep";

/** One per job, in the order in which they were sent. `milliseconds` is CPU time. */
export type JobResult =
  | { kind: "done"; value: unknown; milliseconds: number }
  | { kind: "overran"; reason: OverranReason; milliseconds: number }
  /** The task itself is broken, whatever its input. */
  | { kind: "threw"; message: string; milliseconds: number }
  | { kind: "returned" };

export type ChildMessage = JobResult | { kind: "ready" };
