import type { SystemEvents } from "../events.ts";
import { refuseEventName } from "./events/event-names.ts";
import {
  registerWebhook,
  unregisterWebhook,
  unregisterWebhooksAt,
  usualEvents,
  vendorName,
} from "./events/platform-webhooks.ts";
import { eventOf, removedInstallation } from "./events/translate-event.ts";
import { ourEvents, signature } from "./presentation.ts";
import { deploymentApiCall } from "./steps/deployment-api-call.ts";

/** What the platform sends to an agent's address, and the webhooks that make it do so. */
export const deploymentEvents: SystemEvents = {
  signature,
  names: ourEvents,
  nameOf: eventOf,
  refuseName: refuseEventName,
  sentAt: ({ createdAt }) => (typeof createdAt === "number" ? createdAt : null),
  endedGrant: removedInstallation,
  webhooks: {
    step: deploymentApiCall,
    usualEvents,
    systemName: vendorName,
    register: registerWebhook,
    unregister: unregisterWebhook,
    unregisterAt: unregisterWebhooksAt,
  },
};
