import type { Installations } from "../integration/installations.ts";
import type { World } from "../world.ts";
import type { Deliveries } from "./deliveries.ts";
import { eventBody } from "./event-body.ts";
import { namesToTell } from "./event-names.ts";
import type { Happening } from "./happening.ts";

/** Passes what happens on to both kinds of webhook: those of the account, and the integration's own. */
export function tellWebhooks(world: World, installations: Installations, deliveries: Deliveries): void {
  world.listeners.add((happening) => {
    tellAccount(world, deliveries, happening);
    tellIntegration(world, installations, deliveries, happening);
  });
}

function tellAccount(world: World, deliveries: Deliveries, happening: Happening): void {
  for (const webhook of world.webhooks.newestFirst()) {
    if (webhook.ownerId !== happening.ownerId) continue;
    if (webhook.projectIds && !(happening.project && webhook.projectIds.includes(happening.project.id))) continue;
    for (const name of namesToTell(happening.type, webhook.events)) {
      deliveries.send(webhook.url, webhook.secret, eventBody(world, happening, name).json);
    }
  }
}

/** Its address and events belong to the registration, its secret is the client secret; every installation counts. */
function tellIntegration(
  world: World,
  installations: Installations,
  deliveries: Deliveries,
  happening: Happening,
): void {
  const { webhookUrl, webhookEvents, clientSecret } = installations.registration;
  if (!webhookUrl) return;
  const isMeant = installations
    .all()
    .some(
      ({ ownerId, projects, disabledAt }) =>
        disabledAt === null &&
        ownerId === happening.ownerId &&
        (!projects || !happening.project || projects.includes(happening.project.id)),
    );
  if (!isMeant && happening.type !== "integration-configuration.removed") return;
  for (const name of namesToTell(happening.type, webhookEvents)) {
    deliveries.send(webhookUrl, clientSecret, eventBody(world, happening, name).json);
  }
}
