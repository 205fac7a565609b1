import { nearest } from "../../../kernel/nearest-names.ts";
import { ourEvents } from "../presentation.ts";

/** The platform's own names for events of deployments, as its API lists them: today's with dots, older ones with hyphens. */
const platformEvents = [
  "deployment.blocked",
  "deployment.build-requested",
  "deployment.canceled",
  "deployment.check-rerequested",
  "deployment.checkrun.cancel",
  "deployment.checkrun.start",
  "deployment.checks.failed",
  "deployment.checks.succeeded",
  "deployment.cleanup",
  "deployment.created",
  "deployment.error",
  "deployment.integration.action.cancel",
  "deployment.integration.action.cleanup",
  "deployment.integration.action.start",
  "deployment.promoted",
  "deployment.ready",
  "deployment.rollback",
  "deployment.succeeded",
  "deployment-canceled",
  "deployment-check-rerequested",
  "deployment-checks-completed",
  "deployment-error",
  "deployment-prepared",
  "deployment-ready",
];

const known = [...ourEvents, ...platformEvents];
const older = /-legacy$/;

/**
 * Why a rule cannot name this event, or null. Senders other than the platform have names of their own, and a rule may
 * name any of them; but a name that begins as the platform's do, and is none of them, is a typing error.
 */
export function refuseEventName(name: string): string | null {
  if (!/^deployment[.-]/i.test(name) || known.includes(name.replace(older, ""))) return null;
  const like = nearest(
    name,
    known.map((each) => ({ name: each })),
  );
  const offered = [...new Set([...like, ...ourEvents])].slice(0, 3);
  return `There is no event "${name}". The nearest are ${offered.map((each) => `\`${each}\``).join(", ")}.`;
}
