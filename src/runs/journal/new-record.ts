import type { StepRecord } from "./journal.store.ts";

/** The round of what is done once. */
export const onlyTurn = -1;

/** What stands in the journal when a step begins. */
export const newRecord = (
  { run, ports }: { run: { id: string }; ports: { now(): Date } },
  position: number,
  what: Pick<StepRecord, "name" | "stepId"> & Partial<StepRecord>,
): StepRecord => ({
  runId: run.id,
  position,
  turn: onlyTurn,
  connectionId: null,
  status: "running",
  input: null,
  output: null,
  warnings: [],
  problem: null,
  attempts: [],
  written: [],
  tries: 0,
  looks: 0,
  startedAt: ports.now().toISOString(),
  finishedAt: null,
  ...what,
});
