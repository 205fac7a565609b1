import * as z from "zod";
import { Problem } from "../../kernel/problem.ts";
import { listShownRecords, type ShownRecord } from "../../runs/journal/journal.ts";
import { type LargeOutput, readLargeText, wholeRun } from "../../runs/journal/large-outputs.ts";
import { type ShownRun, showRun } from "../../runs/runs.ts";
import type { Db } from "../../store/db.ts";

/** Large outputs: a run shows their beginning, and a handle reads the rest. */

export const largeOutput = z
  .object({
    handle: z.string().meta({ description: "Send it to `runs/{run_id}/output` to read the whole output" }),
    bytes: z.int(),
    preview: z.string().meta({ description: "How its JSON begins" }),
  })
  .meta({
    id: "LargeOutput",
    description: "Replaces an `output` above 128 KiB, or one after 2 MiB of other outputs; `output` is then null",
  });

/** A handle is the JSON Pointer of the output in the record of the run. */
export const runHandle = "/output";
export const stepHandle = (index: number): string => `/steps/${index}/output`;

export const showLarge = (handle: string, { bytes, preview }: LargeOutput): z.input<typeof largeOutput> => ({
  handle,
  bytes,
  preview,
});

/** Steps in their order, each with its rounds. A repeated step has one record for the whole. */
export function wholeStepsOf<T extends ShownRecord>(records: T[]): { whole: T; rounds: T[] }[] {
  return [...Map.groupBy(records, ({ position }) => position).values()].flatMap((rounds) => {
    const whole = rounds.find(({ turn }) => turn < 0) ?? rounds[0];
    return whole ? { whole, rounds } : [];
  });
}

/** Returns the output as JSON text. */
export async function readOutput(db: Db, projectId: string, runId: string, handle: string): Promise<string> {
  const run = await showRun(db, projectId, runId);
  if (handle === runHandle) return outputOf(db, run, wholeRun, run);
  const steps = run.work.kind === "step" ? [] : wholeStepsOf(await listShownRecords(db, runId));
  const record = steps.find((_, index) => handle === stepHandle(index))?.whole;
  if (!record) throw noSuchOutput(steps.length);
  return outputOf(db, run, record, record);
}

const outputOf = async (
  db: Db,
  { id }: ShownRun,
  at: { position: number; turn: number },
  { output, large }: Pick<ShownRecord, "output" | "large">,
): Promise<string> => (large ? await readLargeText(db, id, at) : JSON.stringify(output)) ?? "null";

function noSuchOutput(steps: number): Problem {
  const others = steps === 0 ? "." : `, and its steps under ${stepHandle(0)} to ${stepHandle(steps - 1)}.`;
  const detail = `What the run gave stands under ${runHandle}${others}`;
  const errors = [{ pointer: "#/handle", code: "unknown_handle", detail }];
  return new Problem("validation_failed", "The run has no such output.", { errors });
}
