import { typeIds } from "../activities/activity-types.ts";
import { type ApiRequest, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import type { Context } from "../instance.ts";
import { notFound } from "./asset-request.ts";

/** `GET /rest/asset/v1/program/{id}/stats.json`: what became of the program's e-mails, counted from activities. */
export function readProgramStats({ instance }: Context, request: ApiRequest): Reply {
  const id = pathId(request);
  if (!instance.programs.has(id)) throw notFound("Program");
  const emails = [...instance.emails.values()].filter(({ programId }) => programId === id);
  const count = (typeId: number) => emails.reduce((sum, email) => sum + instance.activities.count(typeId, email.id), 0);
  const figures = {
    id,
    sent: count(typeIds.sendEmail),
    delivered: count(typeIds.emailDelivered),
    opened: count(typeIds.openEmail),
    clicked: count(typeIds.clickEmail),
    bounced: count(typeIds.emailBounced) + count(typeIds.emailBouncedSoft),
  };
  return { result: [figures] };
}

/** `GET /rest/asset/v1/landingPage/{id}/stats.json` */
export function readLandingPageStats({ instance }: Context, request: ApiRequest): Reply {
  const id = pathId(request);
  if (!instance.landingPages.has(id)) throw notFound("Landing page");
  const { activities } = instance;
  return { result: [{ id, visits: activities.count(typeIds.visitWebpage, id), formFills: activities.formFills(id) }] };
}
