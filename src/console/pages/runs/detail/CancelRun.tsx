import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { runChanges } from "../decisions/reads-to-refresh.ts";
import type { RunRecord } from "../describe-status.ts";

export function CancelRun({ run, isSmall = false }: { run: RunRecord; isSmall?: boolean }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const cancel = useWrite("/latest/runs/{run_id}/cancel", { changes: runChanges, onDone: close });
  const why =
    run.status === "running" && run.step_id !== null ? "A single step that is under way cannot be stopped." : null;
  return (
    <>
      <Button
        variant="default"
        size={isSmall ? "compact-sm" : "sm"}
        onClick={open}
        disabled={why !== null}
        title={why ?? undefined}
      >
        Cancel the run
      </Button>
      <Confirm
        opened={isOpen}
        title="Cancel this run?"
        action="Stop it"
        isDangerous
        isRunning={cancel.isRunning}
        onConfirm={() => cancel.run({ run_id: run.run_id })}
        onClose={close}
      >
        <ProblemNotice problem={cancel.problem} />
        <Text size="sm">
          A run that waits stops at once; one that works stops before its next step. What was sent already is not called
          back.
          {run.status === "outcome_unknown" ? " Nobody is asked any more whether the last write happened." : ""}
        </Text>
      </Confirm>
    </>
  );
}
