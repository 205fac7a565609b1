import { Anchor, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { type InboxItem, useInbox } from "../../state/use-inbox.ts";
import { useProject } from "../../state/use-project.ts";
import { useRole } from "../../state/use-who.ts";
import { Section } from "../../ui/Section.tsx";
import { kindWords, reasonOf, titleOf } from "../inbox/item-words.ts";
import { useNames } from "../runs/use-names.ts";
import { CardRows } from "./CardRows.tsx";

const shown = 5;

/** What waits for a person, as the Inbox has it. */
export function NeedsYou() {
  const projectId = useProject();
  const isEditor = useRole(projectId).may("editor");
  /** Who may connect an account is led to its dialog at once; everything else is decided in the inbox. */
  const pathOf = ({ kind, key }: InboxItem): string =>
    kind === "account" && isEditor ? paths.connect(projectId, key) : `${paths.inbox(projectId)}?item=${key}`;
  const { items, isLoaded, problem, refetch } = useInbox();
  return (
    <Section
      title="Waiting for a person"
      actions={
        <Anchor component={AppLink} to={paths.inbox(projectId)} size="sm">
          {items.length > shown ? `All ${items.length}` : "Inbox"}
        </Anchor>
      }
    >
      <CardRows
        rows={isLoaded ? items.slice(0, shown) : undefined}
        problem={problem}
        onRetry={refetch}
        none="Nothing waits for you."
        row={(item) => (
          <li key={item.key} className="fact-lines">
            <Anchor component={AppLink} to={pathOf(item)} dir="auto">
              <ItemTitle item={item} />
            </Anchor>
            <Text size="sm" c="dimmed" truncate dir="auto">
              {item.kind === "account" ? "" : `${kindWords[item.kind]}: `}
              {reasonOf(item)}
            </Text>
          </li>
        )}
      />
    </Section>
  );
}

/** Names are asked for only where something waits. */
const ItemTitle = ({ item }: { item: InboxItem }) => titleOf(item, useNames());
