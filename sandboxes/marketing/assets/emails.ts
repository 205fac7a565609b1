import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue } from "../gateway/refusal.ts";
import type { Context, Instance } from "../instance.ts";
import type { Email } from "../records.ts";
import { pageByOffset, requireField, standsIn, updatedWithin } from "./asset-request.ts";
import { type EmailStatus, emailRecord, versionOf } from "./email-record.ts";

/** `GET /rest/asset/v1/emails.json` */
export function browseEmails(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const status = statusOf(request);
  const isInTime = updatedWithin(request);
  const found = visibleEmails(instance, request).filter((email) => isInTime(email) && versionOf(email, status));
  return pageByOffset(context, request, found, (email) => recordOf(instance, email, status)[0]);
}

/** `GET /rest/asset/v1/email/byName.json`: an exact match; several folders may hold the same name. */
export function findEmail({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const status = statusOf(request);
  const found = visibleEmails(instance, request).filter((email) => email.name === name);
  return { result: found.flatMap((email) => recordOf(instance, email, status)) };
}

/** `GET /rest/asset/v1/email/{id}.json` */
export function readEmail({ instance }: Context, request: ApiRequest): Reply {
  const email = instance.emails.get(pathId(request));
  return { result: email && !email.underTest ? recordOf(instance, email, statusOf(request)) : [] };
}

export function statusOf(request: ApiRequest): EmailStatus | null {
  const status = textOf(request, "status")?.toLowerCase() ?? null;
  if (status === null || status === "approved" || status === "draft") return status;
  throw invalidValue("status", status);
}

function visibleEmails({ emails }: Instance, request: ApiRequest): Email[] {
  const isThere = standsIn(request);
  return [...emails.values()].filter((email) => !email.underTest && isThere(email));
}

function recordOf(instance: Instance, email: Email, status: EmailStatus | null): object[] {
  const version = versionOf(email, status);
  return version ? [emailRecord(instance, email, version)] : [];
}
