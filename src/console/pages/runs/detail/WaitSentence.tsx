import { Time } from "../../../ui/times/Time.tsx";
import { type RunRecord, waitWord } from "../describe-status.ts";

/** "Waits for a time until 09:30.": what a run waits for, as a sentence. */
export const WaitSentence = ({ wait }: { wait: NonNullable<RunRecord["waiting_for"]> }) => (
  <>
    Waits for {waitWord(wait.kind)}
    {wait.until ? (
      <>
        {" "}
        until <Time at={wait.until} exact />
      </>
    ) : null}
    .
  </>
);
