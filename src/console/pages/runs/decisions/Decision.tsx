import { AskForApproval } from "./AskForApproval.tsx";
import { AskForOutcome } from "./AskForOutcome.tsx";
import type { DecisionProps } from "./decision-props.ts";

/** What a person has to decide about a run, if anything. */
export function Decision({ run, ...rest }: DecisionProps) {
  if (run.status === "outcome_unknown") return <AskForOutcome run={run} {...rest} />;
  const wait = run.waiting_for;
  // Each step asks for itself: what was shown for the one before it is no longer compared.
  if (run.status === "waiting" && wait?.kind === "approval")
    return <AskForApproval key={wait.step} run={run} {...rest} />;
  return null;
}
