import { Badge, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { RecordOf } from "../../../client/wire.ts";
import { LoadedList } from "../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useList } from "../../state/use-read.ts";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { outside } from "./organization.ts";

type Session = RecordOf<"/latest/auth/sessions/list">;

const methods: Record<string, string> = {
  password: "Password",
  password_and_code: "Password and code",
  passkey: "Passkey",
  oidc: "Single sign-on",
  saml: "Single sign-on",
  sign_up: "Sign-up",
};

/** Where the person is signed in. Sessions of others end when they are deactivated. */
export function SessionsTab() {
  const list = useList("/latest/auth/sessions/list", { limit: 100 }, outside);
  const [ending, setEnding] = useState<Session | "others" | null>(null);
  const revoke = useWrite("/latest/auth/sessions/revoke", {
    ...outside,
    changes: ["/latest/auth/sessions/list"],
    onDone: () => setEnding(null),
  });
  const others = list.rows?.filter(({ current }) => !current) ?? [];
  return (
    <Section
      title="Your sessions"
      lead="Browsers in which you are signed in. To end the sessions of somebody else, deactivate them under General."
      actions={
        <Button variant="default" size="compact-sm" disabled={others.length === 0} onClick={() => setEnding("others")}>
          End all others
        </Button>
      }
    >
      <LoadedList
        label="Your sessions"
        list={list}
        keyOf={({ session_id }) => session_id}
        empty={null}
        columns={[
          {
            title: "Browser",
            cell: (session) => (
              <Group gap="xs">
                <Text size="sm" fw={600} title={session.user_agent}>
                  {browserOf(session.user_agent)}
                </Text>
                {session.current ? <Badge variant="light">this one</Badge> : null}
              </Group>
            ),
          },
          { title: "Signed in by", isExtra: true, cell: ({ method }) => methods[method] ?? method },
          {
            title: "Address",
            isExtra: true,
            cell: ({ ip }) => <span className="mono">{ip ?? "–"}</span>,
          },
          { title: "Last seen", width: "9rem", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
          {
            title: "",
            width: "5rem",
            align: "right",
            cell: (session) =>
              session.current ? null : (
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  aria-label={`End the session in ${browserOf(session.user_agent)}`}
                  onClick={() => setEnding(session)}
                >
                  End
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        opened={ending !== null}
        title={ending === "others" ? "End all other sessions?" : "End this session?"}
        action="End"
        isDangerous
        isRunning={revoke.isRunning}
        onConfirm={() => ending && revoke.run(ending === "others" ? {} : { session_id: ending.session_id })}
        onClose={() => setEnding(null)}
      >
        <ProblemNotice problem={revoke.problem} />
        <Text size="sm">That browser has to sign in again. API keys keep working.</Text>
      </Confirm>
    </Section>
  );
}

const browsers: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const machines: [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Mac OS X/, "macOS"],
  [/Windows/, "Windows"],
  [/Linux/, "Linux"],
];

function browserOf(agent: string): string {
  const find = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, machine] = [find(browsers), find(machines)];
  return browser ? `${browser}${machine ? ` on ${machine}` : ""}` : agent.slice(0, 60) || "Unknown";
}
