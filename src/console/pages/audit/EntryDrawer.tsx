import { Anchor, Code, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ReadDrawer } from "../../shell/ReadDrawer.tsx";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { Facts } from "../../ui/Facts.tsx";
import { Copy } from "../../ui/files/Copy.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { actionOf, detailOf, type Entry, type FindName, whoOf } from "./describe-entry.ts";

interface EntryDrawerProps {
  seq: number;
  isWholeOrganization: boolean;
  emails: ReadonlyMap<string, string>;
  findName: FindName;
  onClose: () => void;
}

/** One row: what changed, who did it, from where, and its place in the chain. `?row=` opens it. */
export function EntryDrawer({ seq, isWholeOrganization, emails, findName, onClose }: EntryDrawerProps) {
  const read = useRead(
    "/latest/audit/list",
    { limit: 1, after: String(seq + 1), whole_organization: isWholeOrganization },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const entry = read.data?.results.find((each) => each.seq === seq);
  return (
    <ReadDrawer title={entry ? actionOf(entry.action) : `Row ${seq}`} size="40rem" read={read} onClose={onClose}>
      {() =>
        entry ? (
          <EntryFacts entry={entry} emails={emails} findName={findName} />
        ) : (
          <Notice tone="warn">This row is not in this project. The owner sees all rows.</Notice>
        )
      }
    </ReadDrawer>
  );
}

type EntryFactsProps = Pick<EntryDrawerProps, "emails" | "findName"> & { entry: Entry };

function EntryFacts({ entry, emails, findName }: EntryFactsProps) {
  const changes = Object.entries(entry.details).filter(([, value]) => value !== undefined);
  return (
    <>
      <Section title="What changed">
        {changes.length === 0 ? (
          <Text size="sm" c="dimmed">
            No values were recorded beside the action.
          </Text>
        ) : (
          <Facts
            rows={changes.map((change) => [
              detailOf(change, findName)[0],
              <Value key={change[0]} change={change} findName={findName} />,
            ])}
          />
        )}
      </Section>
      <Section title="Who, when, where">
        <Facts
          rows={[
            ["Who", whoOf(entry, emails)],
            ["When", <Time key="when" at={entry.created_at} exact />],
            ["Of what", <Target key="target" target={entry.target} findName={findName} />],
            ["Address", entry.ip ?? "–"],
            ["API key", entry.key_id ? <Id key="key" id={entry.key_id} /> : "none: in the browser, or by the operator"],
            ["Request", entry.request_id ? <Id key="request" id={entry.request_id} /> : "–"],
          ]}
        />
      </Section>
      <Section title="Position in the log" lead="Each row holds the fingerprint of the row before it.">
        <Facts
          rows={[
            ["Row", String(entry.seq)],
            ["Action", <Code key="action">{entry.action}</Code>],
            ["Fingerprint", <Id key="hash" id={entry.hash} />],
            ["Row before", <Id key="before" id={entry.prev_hash} />],
          ]}
        />
      </Section>
    </>
  );
}

function Value({ change, findName }: { change: [string, unknown]; findName: FindName }) {
  const [, value] = change;
  if (value === null) return "nothing";
  if (typeof value !== "object" || Array.isArray(value)) {
    const [, text] = detailOf(change, findName);
    return (
      <>
        <span dir="auto">{text}</span>
        {typeof value === "string" && text !== value ? <span className="more-line mono">{value}</span> : null}
      </>
    );
  }
  return (
    <Code block className="json">
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}

const Id = ({ id }: { id: string }) => (
  <>
    <span className="mono">{id}</span> <Copy text={id} label="Copy" variant="subtle" />
  </>
);

/** The changed thing, with a link where it has a page. */
function Target({ target, findName }: { target: string | null; findName: FindName }) {
  const projectId = useProject();
  if (target === null) return "–";
  const to = target.startsWith("run_")
    ? paths.run(projectId, target)
    : target.startsWith("tol_")
      ? paths.tool(projectId, target)
      : target.startsWith("con_")
        ? `${paths.integrations(projectId)}?account=${target}`
        : null;
  return to === null ? (
    <Id id={target} />
  ) : (
    <>
      <Anchor component={AppLink} to={to} size="sm" dir="auto">
        {findName(target) ?? target}
      </Anchor>
      {findName(target) === null ? null : <span className="more-line mono">{target}</span>}
    </>
  );
}
