import { isoTime } from "../../kernel/times.ts";
import type { StepRecord } from "./step-record.ts";

/** The `turn` of a step as a whole, not of one iteration. */
export const wholeStep = -1;

/** The record of a step that begins. */
export const newRecord = (
  { run, ports }: { run: { id: string }; ports: { now(): Date } },
  position: number,
  what: Pick<StepRecord, "name" | "stepId"> & Partial<StepRecord>,
): StepRecord => ({
  runId: run.id,
  position,
  turn: wholeStep,
  connectionId: null,
  status: "running",
  input: null,
  output: null,
  warnings: [],
  problem: null,
  attempts: [],
  written: [],
  tries: 0,
  probes: 0,
  startedAt: isoTime(ports.now()),
  finishedAt: null,
  ...what,
});
