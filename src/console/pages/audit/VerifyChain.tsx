import { Button, Code, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useRead } from "../../state/use-read.ts";
import { Copy } from "../../ui/files/Copy.tsx";
import { Notice } from "../../ui/Notice.tsx";

const number = new Intl.NumberFormat();

/** Checks the organization's whole chain, and says the result in words. */
export function useVerify() {
  const [isAsked, setAsked] = useState(false);
  const { data, error, isFetching, refetch } = useRead("/latest/audit/verify", {}, { when: isAsked });
  const verify = () => (isAsked ? void refetch() : setAsked(true));
  const button = (
    <Button variant="default" loading={isFetching} onClick={verify}>
      Verify the log
    </Button>
  );
  const result = (
    <>
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {data?.valid ? (
        <Notice tone="good" title="The log is whole">
          <Stack gap={6}>
            <Text size="sm">
              Each of the {number.format(data.rows)} rows of your organization matches the one before it. None was
              changed, removed or moved.
            </Text>
            <Text size="sm">
              Keep this fingerprint of the last row elsewhere: a log that was rewritten ends with another one.
            </Text>
            <Code className="secret">{data.head}</Code>
            <div>
              <Copy text={data.head} label="Copy the fingerprint" />
            </div>
          </Stack>
        </Notice>
      ) : null}
      {data && !data.valid ? (
        <Notice tone="bad" title="The log was tampered with">
          Row {data.broken_at} of {number.format(data.rows)} does not match the row before it. It was changed, removed
          or moved in the database, not by this product. Rows before it are sound. Keep a copy of the database and
          compare with your last export.
        </Notice>
      ) : null}
    </>
  );
  return { button, result };
}
