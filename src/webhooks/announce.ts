import { newId, regionOfId } from "../kernel/ids.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import { type Message, newDelivery, queueDelivery } from "./deliveries.ts";
import type { EventType } from "./event-types.ts";
import { listeningTo } from "./webhooks.ts";

/** Something that happened here, to be told. `data` holds no secret. */
export interface Announcement {
  organizationId: string;
  /** Null for what concerns the organization and no project of it: only its own webhooks hear of that. */
  projectId: string | null;
  type: EventType;
  data: Record<string, unknown>;
  now: Date;
}

/**
 * Call it in the transaction of the change it tells of: the two stand or fall together. Answers how many addresses will be
 * told; where it is not 0, wake the queue after the commit.
 */
export async function announce(db: Db, told: Announcement): Promise<number> {
  return tellAll(db, told, await listeningTo(db, told.type, told.organizationId, told.projectId));
}

/** The same for a project's own webhooks alone, where the organization's have heard of it already. */
export async function announceInProject(db: Db, told: Announcement & { projectId: string }): Promise<number> {
  return tellAll(db, told, await listeningTo(db, told.type, null, told.projectId));
}

async function tellAll(db: Db, told: Announcement, webhookIds: readonly string[]): Promise<number> {
  if (webhookIds.length === 0) return 0;
  const region = regionOf(told.organizationId);
  const message = messageOf(told, region);
  for (const webhookId of webhookIds) await queueDelivery(db, newDelivery(region, webhookId, message, told.now));
  return webhookIds.length;
}

/** The body that Standard Webhooks proposes: type, timestamp, data; and whom it concerns. */
export function messageOf({ organizationId, projectId, type, data, now }: Announcement, region: Region): Message {
  const id = newId("event", region);
  const timestamp = now.toISOString();
  return {
    id,
    type,
    body: JSON.stringify({ type, timestamp, organization_id: organizationId, project_id: projectId, data }),
  };
}

function regionOf(organizationId: string): Region {
  const region = regionOfId(organizationId);
  if (region === null) throw new Error(`The id ${organizationId} names no region.`);
  return region;
}
