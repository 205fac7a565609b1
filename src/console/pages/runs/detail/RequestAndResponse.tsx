import { Code, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Copy } from "../../../ui/files/Copy.tsx";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { duration } from "../../../ui/times/duration.ts";
import { Time } from "../../../ui/times/Time.tsx";
import { titleOf } from "../../limits/describe-limit.ts";
import { RequestLine } from "../decisions/RequestLine.tsx";
import type { Attempt } from "../describe-status.ts";
import { asCurl } from "./request-as-curl.ts";
import { noticedMs } from "./request-waits.ts";

/** One request and its response. */
export function RequestAndResponse({ attempt }: { attempt: Attempt }) {
  const { request, response, problem } = attempt;
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Sent <Time at={attempt.sent_at} exact />
          {attempt.waited_ms >= noticedMs ? `, after waiting ${duration(attempt.waited_ms)} for a limit` : ""}
          {attempt.ms === undefined ? "" : `, took ${duration(attempt.ms)}`}
        </Text>
        <Copy text={asCurl(request)} label="Copy as curl" />
      </Group>
      <Half title="Request">
        <RequestLine method={request.method} url={request.url} />
        <Headers label="Request headers" headers={request.headers} />
        {request.body === undefined ? null : <JsonView value={request.body} label="Request body" />}
      </Half>
      <Half title="Response">
        {problem ? <Notice tone="bad">{problem.detail}</Notice> : null}
        {response ? (
          <>
            <Text size="sm" fw={600}>
              Status {response.status}
            </Text>
            <Headers label="Response headers" headers={response.headers} />
            {response.body === undefined ? (
              <Text size="sm" c="dimmed">
                The body is part of the step's output.
              </Text>
            ) : (
              <JsonView value={response.body} label="Response body" />
            )}
          </>
        ) : problem ? null : (
          <Text size="sm" c="dimmed">
            No response was recorded.
          </Text>
        )}
      </Half>
      <LimitsSeen attempt={attempt} />
    </Stack>
  );
}

const Half = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap={6}>
    <Title order={3} size="h6">
      {title}
    </Title>
    {children}
  </Stack>
);

const Headers = ({ label, headers }: { label: string; headers: Record<string, string> }) =>
  Object.keys(headers).length === 0 ? null : (
    <details>
      <summary className="summary">{label}</summary>
      <Code block className="json" aria-label={label}>
        {Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n")}
      </Code>
    </details>
  );

/** What the call cost, and what the system said was left afterwards. */
function LimitsSeen({ attempt: { limits = [], counted = {} } }: { attempt: Attempt }) {
  const costs = Object.entries(counted);
  if (limits.length === 0 && costs.length === 0) return null;
  return (
    <Half title="Limits">
      {costs.length > 0 ? (
        <Text size="sm">
          Counted towards {costs.map(([name, cost]) => `${titleOf({ name })}: ${cost.toLocaleString()}`).join(" · ")}
        </Text>
      ) : null}
      {limits.map(({ name, left, max, resets_at }) => (
        <Text size="sm" key={name}>
          {titleOf({ name })}: {left.toLocaleString()} {max === undefined ? "left" : `of ${max.toLocaleString()} left`}
          {resets_at ? (
            <>
              , resets <Time at={resets_at} />
            </>
          ) : null}
        </Text>
      ))}
    </Half>
  );
}
