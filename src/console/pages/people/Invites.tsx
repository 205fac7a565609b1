import { Badge, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { RecordOf } from "../../../client/wire.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useList } from "../../state/use-read.ts";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { Copy } from "../../ui/files/Copy.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { RowList } from "../../ui/rows/RowList.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { inviteChanges, inviteLink } from "./invite-link.ts";
import { roleLabel, roleOf } from "./role.ts";

type Invite = RecordOf<"/latest/auth/invite/list">;

/** Invites that are not accepted yet. */
export function Invites() {
  const list = useList("/latest/auth/invite/list", { limit: 100 });
  const [resent, setResent] = useState("");
  const [deleting, setDeleting] = useState<Invite | null>(null);
  const resend = useWrite("/latest/auth/invite/resend", { changes: inviteChanges });
  const remove = useWrite("/latest/auth/invite/delete", { changes: inviteChanges, onDone: () => setDeleting(null) });
  const open = list.rows?.filter(({ status }) => status !== "accepted");
  const problem = resend.problem ?? list.problem;
  if (!problem && (open === undefined || open.length === 0)) return null;
  return (
    <Section title="Open invites" lead="Nobody has accepted these yet. Each link works once.">
      <ProblemNotice problem={problem} onRetry={() => void list.refetch()} />
      {resend.output ? <Notice tone="good">{`The invite was sent again to ${resent}.`}</Notice> : null}
      {open && open.length > 0 ? (
        <RowList
          label="Open invites"
          rows={open}
          keyOf={(invite) => invite.invite_code}
          empty={null}
          columns={[
            { title: "Invited", cell: ({ email }) => <Text className="anywhere">{email}</Text> },
            { title: "Role", cell: ({ permissions }) => roleLabel(roleOf(permissions)), width: "6rem" },
            {
              title: "Until",
              isExtra: true,
              cell: (invite) =>
                invite.status === "expired" ? <Badge color="yellow">expired</Badge> : <Time at={invite.expires_at} />,
            },
            {
              title: "",
              align: "right",
              cell: (invite) => (
                <Group gap={4} justify="flex-end">
                  <Copy text={inviteLink(invite.invite_code)} label="Copy link" variant="subtle" />
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`Resend the invite to ${invite.email}`}
                    onClick={() => {
                      setResent(invite.email);
                      resend.run({ invite_code: invite.invite_code });
                    }}
                  >
                    Resend
                  </Button>
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Delete the invite to ${invite.email}`}
                    onClick={() => setDeleting(invite)}
                  >
                    Delete
                  </Button>
                </Group>
              ),
            },
          ]}
        />
      ) : null}
      <Confirm
        opened={deleting !== null}
        title={`Delete the invite to ${deleting?.email ?? ""}?`}
        action="Delete the invite"
        isDangerous
        isRunning={remove.isRunning}
        onConfirm={() => deleting && remove.run({ invite_code: deleting.invite_code })}
        onClose={() => {
          remove.reset();
          setDeleting(null);
        }}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">Its link stops working at once. You can invite the person again, also with another role.</Text>
      </Confirm>
    </Section>
  );
}
