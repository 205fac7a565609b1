import type { RunRecord } from "../status.ts";
import { Approval } from "./Approval.tsx";
import { UnknownOutcome } from "./UnknownOutcome.tsx";

/** What a person has to decide about a run, if anything. */
export function Decision({ run }: { run: RunRecord }) {
  if (run.status === "outcome_unknown") return <UnknownOutcome run={run} />;
  if (run.status === "waiting" && run.waiting_for?.kind === "approval") return <Approval run={run} />;
  return null;
}
