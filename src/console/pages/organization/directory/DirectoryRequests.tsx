import { Text, Title } from "@mantine/core";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { useList } from "../../../state/use-read.ts";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { outside } from "../organization.ts";

const everyMilliseconds = 10_000;

/** Without our prefix, and with the query as a person would write it. */
function readable(path: string): string {
  const short = path.replace("/scim/v2", "");
  try {
    return decodeURIComponent(short);
  } catch {
    return short;
  }
}

export const useRequests = (directoryId: string, when = true) =>
  useList(
    "/latest/directory/{directory_id}/requests",
    { directory_id: directoryId, limit: 20 },
    { ...outside, every: everyMilliseconds, when },
  );

/** What the provider sent last, and why a request was refused. */
export function DirectoryRequests({ directoryId }: { directoryId: string }) {
  const list = useRequests(directoryId);
  // Requests of one millisecond look alike, so a row is known by its position.
  const rows = list.rows?.map((request, index) => ({ ...request, index }));
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        Last requests
      </Title>
      <LoadedList
        label="Last requests of the directory"
        list={{ ...list, rows }}
        keyOf={({ index }) => String(index)}
        empty={
          <Text size="sm" c="dimmed">
            Nothing yet. Use “Test connection” at the provider; the request appears here.
          </Text>
        }
        columns={[
          {
            title: "Request",
            cell: ({ method, path, problem }) => (
              <>
                <Text size="xs" className="mono anywhere">
                  {method} {readable(path)}
                </Text>
                {problem ? (
                  <Text size="xs" c="var(--bad)" className="anywhere">
                    {problem}
                  </Text>
                ) : null}
              </>
            ),
          },
          {
            title: "Response",
            width: "6rem",
            cell: ({ status }) => <StateBadge tone={status < 400 ? "good" : "bad"} text={String(status)} />,
          },
          { title: "When", width: "9rem", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
    </div>
  );
}
