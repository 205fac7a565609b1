import { Stack } from "@mantine/core";
import type { Agent } from "../agent-draft.ts";
import { AgentWebhook } from "./AgentWebhook.tsx";
import { EventList } from "./EventList.tsx";
import { PlatformWebhooks } from "./PlatformWebhooks.tsx";

/** How events reach the agent, and those that did. */
export const EventsTab = ({ agent }: { agent: Agent }) => (
  <Stack gap="lg">
    <AgentWebhook agent={agent} />
    <EventList agent={agent} />
    <PlatformWebhooks agent={agent} />
  </Stack>
);
