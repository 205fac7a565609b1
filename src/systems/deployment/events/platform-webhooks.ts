import type { RegisteredWebhook } from "../../events.ts";
import { failed } from "../../fail-step.ts";
import { segment } from "../../paths.ts";
import { pageRowsIn } from "../../read-pages.ts";
import { StepFailed, send, type Work } from "../../work.ts";
import { ourEvents } from "../presentation.ts";
import { effectOf } from "../protocol/endpoints.ts";
import { idOf, isRecord, textIn } from "../protocol/platform-records.ts";
import { eventOf } from "./translate-event.ts";

/** An account's webhooks at the platform. The platform creates a secret for each, and shows it once. */

const path = "/v1/webhooks";
/** An account has far fewer. */
const webhooksMax = 1_000;
const removedAtOnce = 20;

/** The platform's names for the events of a rule: ours are translated, all others are its own. */
const vendorNames: Readonly<Record<(typeof ourEvents)[number], string>> = {
  "deployment.started": "deployment.created",
  "deployment.completed": "deployment.succeeded",
  "deployment.failed": "deployment.error",
};

export const vendorName = (name: string): string => {
  const ours = ourEvents.find((each) => each === name);
  return ours === undefined ? name : vendorNames[ours];
};

/** The default events. */
export const usualEvents: readonly string[] = Object.values(vendorNames).filter((name) => eventOf(name) !== null);

/**
 * Keeps one webhook at this address: one that an earlier attempt left behind has an unknown secret. The others are
 * removed only after the new one exists, so that a refusal leaves the address working. So it is safe to call twice.
 */
export function* registerWebhook(
  url: string,
  events: readonly string[],
  projectIds: readonly string[],
): Work<RegisteredWebhook> {
  const earlier = yield* webhooksAt(url);
  const body = { url, events, ...(projectIds.length > 0 && { projectIds }) };
  const made = yield* create(body);
  const [id, secret] = isRecord(made) ? [idOf(made), textIn(made, "secret")] : [null, null];
  if (id === null || secret === null) {
    const detail = "The deployment platform made a webhook and did not say its id or its secret.";
    throw new StepFailed(failed("system_unavailable", "give up", detail), null);
  }
  const replaced: string[] = [];
  for (const each of earlier) if (yield* isRemoved(each)) replaced.push(each);
  return { id, secret, replaced };
}

function* create(body: object): Work<unknown> {
  try {
    return (yield* send({ method: "POST", api: "main", path, body, ...effectOf("POST", path) })).body;
  } catch (error) {
    if (!(error instanceof StepFailed) || error.failure.code !== "permission_denied") throw error;
    throw new StepFailed({ ...error.failure, remedy: byHand }, error.answer);
  }
}

/** "Account webhooks need a Pro or Enterprise plan", and no permission of an integration covers them. */
const byHand =
  "Account webhooks need a team on the Pro or Enterprise plan and a role that may change its settings, and an integration may not be allowed to make them. " +
  "Make one by hand instead: at the platform, in the team's Settings › Webhooks, or in the integration's own settings, which needs no plan. " +
  "Give it the agent's address from `agents/{agent_id}/webhook`, and give the agent the secret in `webhook_secrets`: the one that the platform shows, or the integration's client secret.";

/** Also removes webhooks that we no longer know of. */
export function* unregisterWebhooksAt(url: string): Work<void> {
  for (const id of yield* webhooksAt(url)) yield* unregisterWebhook(id);
}

function* webhooksAt(url: string): Work<string[]> {
  const { body: listed } = yield* send({ method: "GET", api: "main", path, ...effectOf("GET", path) });
  const there = pageRowsIn(listed, webhooksMax).filter((webhook) => textIn(webhook, "url") === url);
  // Each is a call. What is left over is removed the next time.
  return there
    .map(idOf)
    .filter((id) => id !== null)
    .slice(0, removedAtOnce);
}

/** A webhook that stays behind signs with a secret that we refuse; the next call removes it. */
function* isRemoved(id: string): Work<boolean> {
  try {
    yield* unregisterWebhook(id);
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return false;
  }
}

export function* unregisterWebhook(id: string): Work<void> {
  const one = `${path}/${segment(id)}`;
  yield* send({ method: "DELETE", api: "main", path: one, ...effectOf("DELETE", one) });
}
