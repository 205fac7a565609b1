import { Text } from "@mantine/core";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { type ApiKey, nameOf, stateOf } from "./describe-key.ts";

/** A key in a list: its name, its last characters, and its state if it cannot be used. */
export const KeyCell = ({ apiKey }: { apiKey: ApiKey }) => (
  <>
    <Text fw={600} dir="auto" className="anywhere">
      {nameOf(apiKey)}
    </Text>
    <Text size="sm" c="dimmed">
      ends in <span className="mono">{apiKey.hint}</span>
    </Text>
    {apiKey.status === "active" ? null : <StateBadge {...stateOf(apiKey)} />}
  </>
);
