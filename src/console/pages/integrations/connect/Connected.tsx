import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useRead } from "../../../state/use-read.ts";
import { Notice } from "../../../ui/Notice.tsx";
import { accessOf } from "../accounts/describe-account.ts";

/** Who is connected now: the moment at which a person sees that they signed in with the wrong account. */
export function Connected({ connectionId, onClose }: { connectionId: string; onClose: () => void }) {
  const account = useRead("/latest/connections/{connection_id}/get", { connection_id: connectionId }, { staleTime: 0 });
  const level = account.data ? accessOf(account.data) : null;
  return (
    <Stack gap="md">
      <ProblemNotice problem={account.error} onRetry={() => void account.refetch()} />
      {account.data ? (
        <Notice tone="good" title="The account is connected">
          <Text size="sm" fw={600} dir="auto" className="anywhere">
            {account.data.identity.label}
          </Text>
          {level ? (
            <Text size="sm">
              {level.title}. {level.allows}
            </Text>
          ) : null}
          {account.data.health.reason ? <Text size="sm">{account.data.health.reason}</Text> : null}
        </Notice>
      ) : (
        <Skeleton height={80} aria-label="Loading" />
      )}
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
