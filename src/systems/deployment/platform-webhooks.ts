import { failed } from "../failed.ts";
import { segment } from "../paths.ts";
import { StepFailed, send, type Work } from "../work.ts";
import { effectOf } from "./endpoints.ts";
import { deploymentEvents, eventOf } from "./events.ts";
import { idOf, isRecord, textIn } from "./records.ts";

/** Webhooks that an account has at the platform: it makes a secret for each, and shows it once. */

const path = "/v1/webhooks";

/** The platform's names for what a rule listens to: ours are translated, all others are its own. */
const vendorNames: Readonly<Record<(typeof deploymentEvents)[number], string>> = {
  "deployment.started": "deployment.created",
  "deployment.completed": "deployment.succeeded",
  "deployment.failed": "deployment.error",
};

export const vendorName = (name: string): string => {
  const ours = deploymentEvents.find((each) => each === name);
  return ours === undefined ? name : vendorNames[ours];
};

/** What is heard of where nobody says otherwise. */
export const usualEvents: readonly string[] = Object.values(vendorNames).filter((name) => eventOf(name) !== null);

export interface WebhookMade {
  id: string;
  secret: string;
  /** Those that told this address before, and are gone. */
  replaced: string[];
}

/**
 * One webhook at this address, and no other: one that an earlier try left behind has a secret that nobody knows. The others are
 * removed once the new one is there, so that where it is refused the address goes on being told. That makes it safe to
 * ask for the same twice.
 */
export function* registerWebhook(
  url: string,
  events: readonly string[],
  projectIds: readonly string[],
): Work<WebhookMade> {
  const earlier = yield* webhooksAt(url);
  const body = { url, events, ...(projectIds.length > 0 && { projectIds }) };
  const { body: made } = yield* send({ method: "POST", api: "main", path, body, ...effectOf("POST", path) });
  const [id, secret] = isRecord(made) ? [idOf(made), textIn(made, "secret")] : [null, null];
  if (id === null || secret === null) {
    const detail = "The deployment platform made a webhook and did not say its id or its secret.";
    throw new StepFailed(failed("system_unavailable", "give up", detail), null);
  }
  const replaced: string[] = [];
  for (const each of earlier) if (yield* isRemoved(each)) replaced.push(each);
  return { id, secret, replaced };
}

/** Also one of which nothing is kept any more. */
export function* unregisterWebhooksAt(url: string): Work<void> {
  for (const id of yield* webhooksAt(url)) yield* unregisterWebhook(id);
}

function* webhooksAt(url: string): Work<string[]> {
  const { body: listed } = yield* send({ method: "GET", api: "main", path, ...effectOf("GET", path) });
  const there = (Array.isArray(listed) ? listed : []).filter((webhook) => textIn(webhook, "url") === url);
  return there.map(idOf).filter((id) => id !== null);
}

/** One that stays behind tells with a secret that is not believed; the next call removes it. */
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
