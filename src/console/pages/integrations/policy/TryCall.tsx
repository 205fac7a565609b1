import { Code, Group, Select, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { presentationOf } from "../../../state/systems.ts";
import { useDraft } from "../../../state/use-draft.ts";
import { useRead } from "../../../state/use-read.ts";
import { CodeWords } from "../../../ui/CodeWords.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import type { Account } from "../accounts/describe-account.ts";
import type { Policy } from "./policy.ts";

interface TryCallProps {
  account: Account;
  policy: Policy | null;
  isSaved: boolean;
}

/** "Would this call pass?": a dry run of the system's API Call step, with the policy as it stands in the form. Nothing is sent. */
export function TryCall({ account, policy, isSaved }: TryCallProps) {
  const call = presentationOf(account.system)?.apiCall;
  const first = { method: "GET", path: "", ...call?.first, body: "" };
  const [draft, setDraft] = useDraft(`try-call.${account.connection_id}`, first);
  const { method, path, body } = draft;
  const parsed = useMemo(() => parse(body), [body]);
  const input = {
    method,
    [call?.path ?? "path"]: path.trim(),
    ...(parsed.value === undefined ? {} : { body: parsed.value }),
  };
  const [asked] = useDebouncedValue(JSON.stringify({ input, policy }), 300);
  const tried = useRead(
    "/latest/steps/{step_id}/run",
    {
      step_id: call?.step ?? "",
      connection_id: account.connection_id,
      dry_run: true,
      ...(JSON.parse(asked) as { input: Record<string, unknown>; policy: Policy | null }),
    },
    { when: call != null && path.trim() !== "" && parsed.problem === null, keep: true },
  );
  if (!call) return null;
  const verdict = tried.data && "policy" in tried.data && "request" in tried.data ? tried.data : null;
  return (
    <Stack gap="sm" className="help">
      <Title order={3} size="h6">
        Would this call pass?
      </Title>
      <Group gap="sm" align="start">
        <Select
          label="Method"
          data={[...call.methods]}
          value={method}
          allowDeselect={false}
          w="8rem"
          onChange={(value) => value && setDraft({ ...draft, method: value })}
        />
        <TextInput
          label="Path of the call"
          value={path}
          spellCheck={false}
          flex="1 1 16rem"
          onChange={(event) => setDraft({ ...draft, path: event.currentTarget.value })}
        />
      </Group>
      {method === "GET" || method === "DELETE" ? null : (
        <Textarea
          label="Body (JSON, optional)"
          description="Some calls name what they touch only here."
          value={body}
          error={parsed.problem}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          onChange={(event) => setDraft({ ...draft, body: event.currentTarget.value })}
        />
      )}
      {tried.error ? (
        <ProblemNotice problem={tried.error} onRetry={() => void tried.refetch()} />
      ) : verdict ? (
        <Notice
          tone={verdict.policy.allowed ? "good" : "bad"}
          title={verdict.policy.allowed ? "It passes" : "It is refused"}
        >
          <div>{verdict.policy.reason}</div>
          <Code className="anywhere">
            {verdict.request.method} {verdict.request.url}
          </Code>
          {verdict.warnings.map((warning) => (
            <div key={warning}>
              <CodeWords text={warning} />
            </div>
          ))}
          {verdict.problem ? <div>{verdict.problem.detail}</div> : null}
        </Notice>
      ) : null}
      <Text size="xs" c="dimmed">
        {isSaved ? "Judged by the saved policy." : "Judged by the policy above, before it is saved."} Nothing is sent.
      </Text>
    </Stack>
  );
}

function parse(text: string): { value: unknown; problem: string | null } {
  if (text.trim() === "") return { value: undefined, problem: null };
  try {
    return { value: JSON.parse(text) as unknown, problem: null };
  } catch {
    return { value: undefined, problem: "This is not JSON yet." };
  }
}
