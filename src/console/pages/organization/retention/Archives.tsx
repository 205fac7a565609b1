import { LoadedList } from "../../../shell/LoadedList.tsx";
import { useList } from "../../../state/use-read.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { outside } from "../organization.ts";

const kinds = { runs: "Runs", events: "Events", deliveries: "Deliveries", audit: "Audit log" };

/** Files on the server: only its operator can read them. */
export function Archives() {
  const list = useList("/latest/organizations/archives/list", { limit: 100 }, outside);
  return (
    <Section title="Archives" lead="Files in the archive folder of the server, written before records were deleted.">
      <LoadedList
        label="Archives"
        list={list}
        keyOf={({ archive_id }) => archive_id}
        empty={<Empty title="Nothing was archived yet">An archive appears when the first records have expired.</Empty>}
        columns={[
          { title: "What", width: "8rem", cell: ({ kind }) => kinds[kind] },
          { title: "Records", width: "6rem", align: "right", cell: ({ records }) => records.toLocaleString("en-US") },
          { title: "File", isExtra: true, cell: ({ file }) => <span className="mono">{file}</span> },
          { title: "Created", width: "9rem", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
    </Section>
  );
}
