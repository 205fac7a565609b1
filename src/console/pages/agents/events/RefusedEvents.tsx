import { Text } from "@mantine/core";
import { Time } from "../../../ui/times/Time.tsx";
import { type Refusal, refusalWords } from "./describe-event.ts";

/** The last requests that were refused because of their signature. Their content is not kept. */
export const RefusedEvents = ({ refusals }: { refusals: readonly Refusal[] }) => (
  <details>
    <summary>
      {refusals.length === 1 ? "The last refused request" : `The last ${refusals.length} refused requests`}
    </summary>
    <ul className="short-list" aria-label="Refused requests">
      {refusals.map(({ at, reason }, index) => (
        // Several may come at the same moment.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is short and has no state
        <li key={`${at} ${index}`}>
          <Text size="sm" flex="1 1 14rem">
            {refusalWords[reason]}
          </Text>
          <Text size="sm" c="dimmed">
            <Time at={at} exact />
          </Text>
        </li>
      ))}
    </ul>
    <Text size="sm" c="dimmed">
      The last 20 are kept for 30 days, with their time and reason. What they said is not kept.
    </Text>
  </details>
);
