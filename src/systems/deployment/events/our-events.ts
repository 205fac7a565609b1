import type { SignatureScheme } from "../../events.ts";

/** Events of a deployment, in our words; rules can also use the platform's own names. */
export const ourEvents = ["deployment.started", "deployment.completed", "deployment.failed"] as const;
export type DeploymentEvent = (typeof ourEvents)[number];

/** How the platform signs its events. */
export const signature: SignatureScheme = { header: "x-vercel-signature", hash: "sha1" };
