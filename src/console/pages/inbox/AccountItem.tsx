import { Anchor, Text } from "@mantine/core";
import type { RecordOf } from "../../../client/wire.ts";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole } from "../../state/use-who.ts";
import { Section } from "../../ui/Section.tsx";
import { DecisionChoices } from "../runs/decisions/DecisionChoices.tsx";

/** An account whose sign-in was lost. `?connect=` opens the dialog that connects it again. */
export function AccountItem({ account }: { account: RecordOf<"/latest/connections/list"> }) {
  const projectId = useProject();
  const isEditor = useRole(projectId).may("editor");
  const [connecting, setConnecting] = useSearchState("connect");
  return (
    <Section title="This account needs reconnecting" lead={account.state_reason}>
      <Text size="sm">
        Steps that use it fail until then.{" "}
        <Anchor
          component={AppLink}
          to={`${paths.integrations(projectId)}?account=${account.connection_id}`}
          size="sm"
          underline="always"
        >
          See the account and what uses it
        </Anchor>
      </Text>
      <DecisionChoices
        hasKeys
        isAsking={connecting !== ""}
        refusal={isEditor ? null : "Only an editor of the project can connect accounts."}
        choices={[
          {
            key: "c",
            label: "Reconnect",
            consequence:
              "You sign in at the system once more. The account keeps its id, so tools and schedules continue.",
            isMain: true,
            onPress: () => setConnecting(account.connection_id),
          },
        ]}
      />
    </Section>
  );
}
