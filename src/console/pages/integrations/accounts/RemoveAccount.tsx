import { Button, Checkbox, Group, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useRole } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Impact, useImpact } from "./AccountUses.tsx";
import { type Account, accountReads, isPasted } from "./describe-account.ts";

/** Removes the account, after the person has seen what stops. */
export function RemoveAccount({ account }: { account: Account }) {
  const { may } = useRole(useProject());
  const [isAsking, setAsking] = useState(false);
  const [endsPasted, setEndsPasted] = useState(false);
  const [endsShared, setEndsShared] = useState(false);
  const { data: impact } = useImpact(account.connection_id);
  const remove = useWrite("/latest/connections/{connection_id}/remove", {
    changes: [...accountReads],
    onDone: () => setAsking(false),
  });
  const { connection_id } = account;
  const siblings = impact?.shared_with ?? 0;
  return (
    <Section title="Remove">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 14rem">
          {may("editor")
            ? "Steps that use it stop working until it is reconnected. The account at the system and its data stay as they are."
            : "Removing an account needs the role editor. Ask an admin of the project."}
        </Text>
        <Button color="red" variant="outline" disabled={!may("editor")} onClick={() => setAsking(true)}>
          Remove the account
        </Button>
      </Group>
      <Confirm
        opened={isAsking}
        title={`Remove ${account.label}?`}
        action="Remove it"
        isDangerous
        isRunning={remove.isRunning}
        isDisabled={impact === undefined}
        onConfirm={() => remove.run({ connection_id, revoke: endsPasted, revoke_shared: endsShared })}
        onClose={() => setAsking(false)}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">
          {isPasted(account)
            ? "Its credentials are destroyed here."
            : siblings > 0
              ? `${siblings === 1 ? "One other connection" : `${siblings} other connections`} of the organization share its access at the system, so that stays. Its credentials are destroyed here.`
              : "Its access is revoked at the system, and its credentials are destroyed here."}{" "}
          The account at the system and its data are unaffected. These stop working until it is reconnected:
        </Text>
        <Impact connectionId={connection_id} nothing="Nothing: no tool, agent or schedule uses it." />
        {siblings > 0 ? (
          <Checkbox
            label="Revoke the access at the system all the same"
            description="The other connections then need reconnecting."
            checked={endsShared}
            onChange={(event) => setEndsShared(event.currentTarget.checked)}
          />
        ) : null}
        {isPasted(account) ? (
          <Checkbox
            label="Also end the pasted credentials at the system"
            description="Other programs that use the same credentials stop too."
            checked={endsPasted}
            onChange={(event) => setEndsPasted(event.currentTarget.checked)}
          />
        ) : null}
      </Confirm>
    </Section>
  );
}
