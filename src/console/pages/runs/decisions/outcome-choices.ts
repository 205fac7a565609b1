import type { RunRecord } from "../describe-status.ts";

export type Outcome = "happened" | "did_not" | "retry";

export interface OutcomeChoice {
  outcome: Outcome;
  label: string;
  /** The key that asks for it in the inbox, and its word in the address. */
  key: "y" | "n" | "r";
  title: string;
  action: string;
  consequence: string;
  isDangerous: boolean;
}

/** The three answers, with what follows from each. */
export const outcomes = ({ step_id }: Pick<RunRecord, "step_id">): OutcomeChoice[] => {
  const isTool = step_id === null;
  return [
    {
      outcome: "happened",
      label: "It happened",
      key: "y",
      title: "It happened?",
      action: "Yes, it happened",
      consequence: isTool
        ? "The step counts as done, and the run continues with the next one. Nothing is sent again."
        : "The run ends as succeeded. Nothing is sent again.",
      isDangerous: false,
    },
    {
      outcome: "did_not",
      label: "It did not",
      key: "n",
      title: "It did not happen?",
      action: "No, it did not happen",
      consequence: isTool
        ? "The step counts as failed. The run ends, unless the tool says to continue after a failure of this step. Nothing is sent again."
        : "The run ends as failed. Nothing is sent again.",
      isDangerous: false,
    },
    {
      outcome: "retry",
      label: "Try again",
      key: "r",
      title: "Send it again?",
      action: "Send it again",
      consequence:
        "The same request is sent once more. If the first one did happen after all, it happens twice: two deployments, two records, two mails.",
      isDangerous: true,
    },
  ];
};
