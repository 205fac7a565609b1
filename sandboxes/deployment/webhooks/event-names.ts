/** Names that the sandbox sends. `deployment.ready` is sent only to those who registered checks, which nobody can here. */
const sent = [
  "deployment.created",
  "deployment.succeeded",
  "deployment.promoted",
  "deployment.error",
  "deployment.canceled",
  "deployment.blocked",
  "deployment.cleanup",
  "project.created",
  "project.removed",
  "project.renamed",
  "project.domain.created",
  "project.domain.deleted",
  "project.domain.verified",
  "project.env-variable.created",
  "project.env-variable.updated",
  "project.env-variable.deleted",
  "integration-configuration.removed",
];

/** Names that can be subscribed to; nothing here causes them. */
const known = [
  "deployment.ready",
  "deployment.rollback",
  "deployment.build-requested",
  "deployment.check-rerequested",
  "deployment.checks.succeeded",
  "deployment.checks.failed",
  "deployment.checkrun.start",
  "deployment.checkrun.cancel",
  "deployment.integration.action.start",
  "deployment.integration.action.cancel",
  "deployment.integration.action.cleanup",
  "project.domain.updated",
  "project.domain.unverified",
  "project.domain.moved",
  "project.rolling-release.started",
  "project.rolling-release.aborted",
  "project.rolling-release.completed",
  "project.rolling-release.approved",
  "domain.created",
  "domain.dns.records.changed",
  "domain.transfer-in.started",
  "domain.transfer-in.completed",
  "domain.transfer-in.failed",
  "domain.certificate.add",
  "domain.certificate.add.failed",
  "domain.certificate.renew",
  "domain.certificate.renew.failed",
  "domain.certificate.deleted",
  "domain.renewal",
  "domain.renewal.failed",
  "domain.auto-renew.changed",
  "integration-resource.project-connected",
  "integration-resource.project-disconnected",
  "integration-configuration.permission-upgraded",
  "integration-configuration.scope-change-confirmed",
  "integration-configuration.transferred",
];

/** The names of before, with hyphens; who subscribed to one of these is told under it. */
const legacyNames: Record<string, string> = {
  deployment: "deployment.created",
  "deployment-ready": "deployment.succeeded",
  "deployment-error": "deployment.error",
  "deployment-canceled": "deployment.canceled",
  "project-created": "project.created",
  "project-removed": "project.removed",
  "integration-configuration-removed": "integration-configuration.removed",
};

export const eventNames: readonly string[] = [...sent, ...known, ...Object.keys(legacyNames)];

/** Under which of the subscribed names this event is told; both forms can be subscribed to. */
export function namesToTell(type: string, subscribed: readonly string[]): string[] {
  return subscribed.filter((name) => name === type || legacyNames[name] === type);
}
