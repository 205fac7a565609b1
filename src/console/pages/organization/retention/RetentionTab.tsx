import { Skeleton, Stack } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useRead } from "../../../state/use-read.ts";
import { outside } from "../organization.ts";
import { Archives } from "./Archives.tsx";
import { LegalHolds } from "./LegalHolds.tsx";
import { RetentionForm } from "./RetentionForm.tsx";

/** How long records are kept, what is on legal hold, and what was archived. */
export function RetentionTab() {
  const { data, error, refetch } = useRead("/latest/organizations/retention/get", {}, outside);
  return (
    <Stack gap="lg">
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {data === undefined && error === null ? <Skeleton height={320} aria-label="Loading" /> : null}
      {data ? <RetentionForm key={data.updated_at} policy={data} /> : null}
      <LegalHolds />
      <Archives />
    </Stack>
  );
}
