import { Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useOnceTrue } from "../../../state/use-once-true.ts";
import { useList, useRead } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { SecretOnce } from "../../../ui/dialogs/SecretOnce.tsx";
import { Empty } from "../../../ui/Empty.tsx";
import { CopyText } from "../../../ui/files/CopyText.tsx";
import { Section } from "../../../ui/Section.tsx";
import { outside } from "../organization.ts";
import { useRequests } from "./DirectoryRequests.tsx";
import { DirectorySection } from "./DirectorySection.tsx";
import { directoryReads } from "./directory.ts";

const scimAddress = (): string => `${window.location.origin}/scim/v2`;

/** The identity provider that sends people and groups by SCIM. */
export function DirectoryTab() {
  const list = useList("/latest/directory/list", { limit: 100 }, outside);
  const isKnown = useIsKnown(list.rows);
  return (
    <Stack gap="lg">
      <ProblemNotice problem={list.problem} onRetry={() => void list.refetch()} />
      {isKnown || list.problem ? null : <Skeleton height={480} aria-label="Loading" />}
      {isKnown
        ? list.rows?.map((directory) => <DirectorySection key={directory.directory_id} directory={directory} />)
        : null}
      {isKnown && list.rows ? <Connect isFirst={list.rows.length === 0} /> : null}
    </Stack>
  );
}

/** Whether the first directory can be shown whole. Most have no second, so that nothing moves. */
function useIsKnown(directories: { directory_id: string }[] | undefined): boolean {
  const first = directories?.[0]?.directory_id;
  const when = first !== undefined;
  const record = useRead("/latest/directory/{directory_id}/get", { directory_id: first ?? "" }, { ...outside, when });
  const requests = useRequests(first ?? "", when);
  const isRead = [record.data ?? record.error, requests.rows ?? requests.problem].every((found) => found != null);
  return useOnceTrue(directories !== undefined && (!when || isRead));
}

function Connect({ isFirst }: { isFirst: boolean }) {
  const [label, setLabel, clear] = useDraft("directory", "");
  const create = useWrite("/latest/directory/create", {
    ...outside,
    changes: [...directoryReads],
    onDone: clear,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ label: label.trim() });
  };
  return (
    <Section
      title={isFirst ? "Connect a directory" : "Connect another directory"}
      lead="People and groups come and go as in your identity provider, by SCIM 2.0: a person who leaves there loses access here at once."
    >
      {isFirst ? (
        <Empty title="No directory yet">
          Name it, then give the provider the address and the token. Entra ID, Okta and others send the rest.
        </Empty>
      ) : null}
      <form onSubmit={submit}>
        <Group align="end" gap="sm">
          <TextInput
            label="Name"
            placeholder="Entra ID"
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            maxLength={200}
            required
            flex="1 1 14rem"
            maw="24rem"
          />
          <Button type="submit" loading={create.isRunning} disabled={label.trim() === ""}>
            Connect
          </Button>
        </Group>
      </form>
      <ProblemNotice problem={create.problem} />
      {create.output ? (
        <>
          <div>
            <Text size="sm" fw={600}>
              Address for the provider
            </Text>
            <CopyText text={scimAddress()} />
          </div>
          <SecretOnce label="Token of the directory" secret={create.output.scim_token} />
        </>
      ) : null}
    </Section>
  );
}
