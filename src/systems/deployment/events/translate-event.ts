import type { ourEvents } from "../presentation.ts";
import { isRecord, textIn } from "../protocol/platform-records.ts";

type DeploymentEvent = (typeof ourEvents)[number];

// `deployment.ready` is no completion: the platform sends it only to integrations with registered checks.
const ours: Readonly<Record<string, DeploymentEvent>> = {
  "deployment.created": "deployment.started",
  "deployment.succeeded": "deployment.completed",
  "deployment.error": "deployment.failed",
  // Older names, with hyphens.
  deployment: "deployment.started",
  "deployment-ready": "deployment.completed",
  "deployment-error": "deployment.failed",
};

/** Null for other events: a rule can still use the platform's name. */
export const eventOf = (vendorName: string): DeploymentEvent | null =>
  Object.hasOwn(ours, vendorName) ? (ours[vendorName] ?? null) : null;

/** The installation that an event reports as removed; null for every other event. */
export function removedInstallation(event: Record<string, unknown>): string | null {
  if (event.type !== "integration-configuration.removed") return null;
  const { configuration } = (isRecord(event.payload) ? event.payload : {}) as { configuration?: unknown };
  return textIn(configuration, "id");
}
