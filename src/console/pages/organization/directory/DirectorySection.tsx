import { Button, Skeleton, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useRead } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Section } from "../../../ui/Section.tsx";
import { outside } from "../organization.ts";
import { DirectoryGroups } from "./DirectoryGroups.tsx";
import { DirectoryRequests } from "./DirectoryRequests.tsx";
import { DirectoryTokens } from "./DirectoryTokens.tsx";
import { type Directory, directoryReads } from "./directory.ts";

const number = new Intl.NumberFormat();
const count = (value: number, one: string, many: string) => `${number.format(value)} ${value === 1 ? one : many}`;

/** One connected directory: whom it looks after, its tokens, and what it sent last. */
export function DirectorySection({ directory }: { directory: Directory }) {
  const { directory_id } = directory;
  const { data, error, refetch } = useRead("/latest/directory/{directory_id}/get", { directory_id }, outside);
  const [isAsking, setAsking] = useState(false);
  const remove = useWrite("/latest/directory/{directory_id}/delete", { ...outside, changes: [...directoryReads] });
  const name = directory.label || "Directory";
  return (
    <Section
      title={name}
      lead={
        data ? `Manages ${count(data.people, "person", "people")} and ${count(data.groups, "group", "groups")}.` : null
      }
      actions={
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          aria-label={`Disconnect ${name}`}
          onClick={() => setAsking(true)}
        >
          Disconnect
        </Button>
      }
    >
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {data === undefined && error === null ? <Skeleton height={160} aria-label="Loading" /> : null}
      {data ? <DirectoryTokens directoryId={directory_id} tokens={data.tokens} /> : null}
      <DirectoryRequests directoryId={directory_id} />
      {data && data.groups > 0 ? <DirectoryGroups directoryId={directory_id} /> : null}
      <Confirm
        opened={isAsking}
        title={`Disconnect ${name}?`}
        action="Disconnect"
        isDangerous
        isRunning={remove.isRunning}
        onConfirm={() => remove.run({ directory_id })}
        onClose={() => setAsking(false)}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">
          Its tokens stop working at once. People keep their accounts and their roles in projects; from then on you
          change them by hand.
        </Text>
      </Confirm>
    </Section>
  );
}
