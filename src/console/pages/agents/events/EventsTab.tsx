import { Stack } from "@mantine/core";
import type { Agent } from "../agent-draft.ts";
import { EventList } from "./EventList.tsx";
import { PlatformWebhooks } from "./PlatformWebhooks.tsx";
import { Webhook } from "./Webhook.tsx";

/** How events reach the agent, and those that did. */
export const EventsTab = ({ agent }: { agent: Agent }) => (
  <Stack gap="lg">
    <Webhook agent={agent} />
    <EventList agent={agent} />
    <PlatformWebhooks agent={agent} />
  </Stack>
);
