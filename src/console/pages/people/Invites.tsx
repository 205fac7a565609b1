import { Badge, Button, Group, Select, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useList } from "../../state/use-read.ts";
import { useWrite } from "../../state/use-write.ts";
import type { Role } from "../../state/who.ts";
import { Copy } from "../../ui/Copy.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { RowList } from "../../ui/RowList.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/Time.tsx";
import { permissionsOf, roleOf, roleOptions } from "./role.ts";

/** The code stands after the #, so it reaches no log. */
const inviteLink = (code: string): string => `${window.location.origin}/invite#${code}`;

/** Invites: new ones, and those that nobody has accepted yet. */
export function Invites() {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("editor");
  const list = useList("/latest/auth/invite/list", { limit: 100 });
  const changes = ["/latest/auth/invite/list", "/latest/auth/users/list"] as const;
  const create = useWrite("/latest/auth/invite/create", { changes: [...changes], onDone: () => setEmail("") });
  const resend = useWrite("/latest/auth/invite/resend", { changes: [...changes] });
  const remove = useWrite("/latest/auth/invite/delete", { changes: [...changes] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ email, permissions: permissionsOf(role) });
  };
  const open = list.rows?.filter(({ status }) => status !== "accepted");
  return (
    <Section
      title="Invite a person"
      lead="Somebody of your organization is in the project at once. Others get a mail and choose when to accept."
    >
      <form onSubmit={submit}>
        <Group align="end" gap="sm">
          <TextInput
            label="E-mail"
            type="email"
            required
            flex="1 1 14rem"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Select
            label="Role"
            data={roleOptions}
            value={role}
            onChange={(value) => value && setRole(value as Role)}
            allowDeselect={false}
            w="9rem"
          />
          <Button type="submit" loading={create.isRunning}>
            Invite
          </Button>
        </Group>
      </form>
      <ProblemNotice problem={create.problem ?? resend.problem ?? remove.problem ?? list.problem} />
      {create.output ? <Notice tone="good">The invite is made.</Notice> : null}
      {open && open.length > 0 ? (
        <RowList
          label="Open invites"
          rows={open}
          keyOf={(invite) => invite.invite_code}
          empty={null}
          columns={[
            { title: "Invited", cell: ({ email }) => <Text className="anywhere">{email}</Text> },
            { title: "Role", cell: ({ permissions }) => roleOf(permissions), width: "6rem" },
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
                    aria-label={`Send the invite to ${invite.email} again`}
                    onClick={() => resend.run({ invite_code: invite.invite_code })}
                  >
                    Resend
                  </Button>
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Delete the invite to ${invite.email}`}
                    onClick={() => remove.run({ invite_code: invite.invite_code })}
                  >
                    Delete
                  </Button>
                </Group>
              ),
            },
          ]}
        />
      ) : null}
    </Section>
  );
}
