/** What happened to a deployment, in our words; the platform's own names can be listened to as well. */
export const deploymentEvents = ["deployment.started", "deployment.completed", "deployment.failed"] as const;
export type DeploymentEvent = (typeof deploymentEvents)[number];

// `deployment.ready` is no completion: it is sent only to integrations that registered checks.
const ours: Readonly<Record<string, DeploymentEvent>> = {
  "deployment.created": "deployment.started",
  "deployment.succeeded": "deployment.completed",
  "deployment.error": "deployment.failed",
  // The names of before, with hyphens.
  deployment: "deployment.started",
  "deployment-ready": "deployment.completed",
  "deployment-error": "deployment.failed",
};

/** Null for events that are neither: a rule can still name them as the platform does. */
export const eventOf = (vendorName: string): DeploymentEvent | null =>
  Object.hasOwn(ours, vendorName) ? (ours[vendorName] ?? null) : null;

/** Under which names rules hear of it: ours, where there is one, and the platform's own. */
export function namesOf(vendorName: string): string[] {
  const our = eventOf(vendorName);
  return our === null ? [vendorName] : [our, vendorName];
}
