import { newId, regionOfId } from "../kernel/ids.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import { insertDelivery, type Message, newDelivery } from "./deliveries.ts";
import type { EventType } from "./event-types.ts";
import { listProjectSubscribers, listSubscribers } from "./webhooks.ts";

/** Something that happened. `data` holds no secret: an event about an invite has the stored form of its code as `target`. */
export interface Announcement {
  organizationId: string;
  /**
   * Null for what concerns the organization and none of its projects: only the organization's webhooks receive that.
   */
  projectId: string | null;
  type: EventType;
  data: Record<string, unknown>;
  now: Date;
}

/**
 * Queues deliveries in the transaction of the change, so that both are committed or neither. Returns how many; unless
 * it is 0, wake the dispatcher after the commit.
 */
export async function announce(db: Db, announcement: Announcement): Promise<number> {
  return queueDeliveries(
    db,
    announcement,
    await listSubscribers(db, announcement.type, announcement.organizationId, announcement.projectId),
  );
}

/** An event about a person is sent to at most so many webhooks of their projects: so many take SQLite some milliseconds of the event loop. */
const projectWebhooksMax = 1000;

/**
 * The same for the own webhooks of several projects, if the organization's were informed before. Each project has its own
 * data: its admins may not learn what concerns another.
 */
export async function announceInProjects(
  db: Db,
  announcement: Omit<Announcement, "projectId" | "data">,
  projectIds: readonly string[],
  dataFor: (projectId: string) => Announcement["data"],
): Promise<number> {
  let count = 0;
  for (const [projectId, webhookIds] of await listProjectSubscribers(
    db,
    announcement.type,
    projectIds,
    projectWebhooksMax,
  ))
    count += await queueDeliveries(db, { ...announcement, projectId, data: dataFor(projectId) }, webhookIds);
  return count;
}

async function queueDeliveries(db: Db, announcement: Announcement, webhookIds: readonly string[]): Promise<number> {
  if (webhookIds.length === 0) return 0;
  const { organizationId, now } = announcement;
  const region = regionOf(organizationId);
  const message = messageOf(announcement, region);
  for (const webhookId of webhookIds)
    await insertDelivery(db, newDelivery(region, { organizationId, webhookId }, message, now));
  return webhookIds.length;
}

/** The body that Standard Webhooks proposes (type, timestamp, data), with the organization and project. */
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
