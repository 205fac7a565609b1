import { Problem } from "../../../src/kernel/problem.ts";

/** The problem of work that must be refused. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => new Error("Nothing was refused."),
    (reason) => reason,
  );
  if (!(error instanceof Problem)) throw error;
  return error;
}
