import { Approval } from "./Approval.tsx";
import type { DecisionProps } from "./decision-props.ts";
import { UnknownOutcome } from "./UnknownOutcome.tsx";

/** What a person has to decide about a run, if anything. */
export function Decision({ run, ...rest }: DecisionProps) {
  if (run.status === "outcome_unknown") return <UnknownOutcome run={run} {...rest} />;
  if (run.status === "waiting" && run.waiting_for?.kind === "approval") return <Approval run={run} {...rest} />;
  return null;
}
