import { Text } from "@mantine/core";
import { zoneTime } from "./zone-time.ts";

/** The next times of a schedule, by its own clocks. The first is the one that people look for. */
export function NextTimes({ times, timeZone }: { times: readonly string[]; timeZone: string }) {
  const [first, ...others] = times;
  if (first === undefined) return null;
  return (
    <ol className="next-times" aria-label="Next times">
      <li>
        <Moment at={first} timeZone={timeZone} />
      </li>
      {others.map((at) => (
        <Text component="li" key={at} size="xs" c="dimmed">
          <Moment at={at} timeZone={timeZone} />
        </Text>
      ))}
    </ol>
  );
}

const Moment = ({ at, timeZone }: { at: string; timeZone: string }) => (
  <time dateTime={at} className="time">
    {zoneTime(at, timeZone)}
  </time>
);
