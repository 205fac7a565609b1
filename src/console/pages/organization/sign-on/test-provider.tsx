import { Button, Group, Text } from "@mantine/core";
import type { OutputOf } from "../../../../client/wire.ts";
import { useWrite } from "../../../state/use-write.ts";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { outside } from "../organization.ts";

export type TestResult = OutputOf<"/latest/single_sign_on/{provider_id}/test">;

/** Asks a provider whether it can be used. */
export function useProviderTest(providerId: string) {
  const test = useWrite("/latest/single_sign_on/{provider_id}/test", outside);
  const run = () => test.run({ provider_id: providerId });
  return {
    run,
    result: test.output,
    problem: test.problem,
    isRunning: test.isRunning,
    button: (
      <Button variant="default" loading={test.isRunning} onClick={run}>
        Test now
      </Button>
    ),
  };
}

/** What was looked at, each with its result. */
export function Checks({ result }: { result: TestResult | undefined }) {
  if (!result) return null;
  return (
    <div role="status">
      <Text size="sm" fw={600}>
        {result.ok ? "Nothing was found to be wrong." : "Something is wrong."}
      </Text>
      <ul className="short-list">
        {result.checks.map(({ name, ok, detail }) => (
          <li key={name}>
            <Group gap="xs" wrap="nowrap" align="start">
              <StateBadge tone={ok ? "good" : "bad"} text={ok ? "Good" : "Wrong"} />
              <div>
                <Text size="sm" fw={600}>
                  {`${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`}
                </Text>
                <Text size="sm" className="anywhere">
                  {detail}
                </Text>
              </div>
            </Group>
          </li>
        ))}
      </ul>
    </div>
  );
}
