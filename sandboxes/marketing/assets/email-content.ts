import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import type { Email, EmailVersion } from "../records.ts";
import { notFound, objectOf, requireField, requireForm } from "./asset-request.ts";
import { requireEmail, versionOf } from "./email-record.ts";
import { statusOf } from "./emails.ts";

/** `GET /rest/asset/v1/email/{id}/content.json`: one row for each section. */
export function readEmailContent({ instance }: Context, request: ApiRequest): Reply {
  const email = requireEmail(instance, pathId(request));
  return { result: versionOf(email, statusOf(request))?.[1].sections ?? [] };
}

/** `POST /rest/asset/v1/email/{id}/content.json`: subject and senders; they change in the draft. */
export function updateEmailHead({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const email = requireEmail(instance, pathId(request));
  const draft = draftOf(email);
  draft.subject = headText(request, "subject") ?? draft.subject;
  draft.fromName = headText(request, "fromName") ?? draft.fromName;
  draft.fromEmail = headText(request, "fromEmail") ?? draft.fromEmail;
  draft.replyEmail = headText(request, "replyTO") ?? draft.replyEmail;
  email.draft = draft;
  email.updatedAt = clock.now();
  return { result: [{ id: email.id }] };
}

/** `POST /rest/asset/v1/email/{id}/content/{htmlId}.json`: one section, in the draft. */
export function updateEmailSection({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const email = requireEmail(instance, pathId(request));
  const draft = draftOf(email);
  const section = draft.sections.find(({ htmlId }) => htmlId === request.path.htmlId);
  if (!section) throw notFound("Email content section");
  const type = requireField(request, "type");
  if (type !== "Text") throw invalidValue("type", type);
  const html = requireField(request, "value");
  section.contentType = "Text";
  section.value = [
    { type: "HTML", value: html },
    { type: "Text", value: textOf(request, "textValue") ?? html.replace(/<[^>]*>/g, "") },
  ];
  email.draft = draft;
  email.updatedAt = clock.now();
  return { result: [{ id: email.id }] };
}

/** The draft as it is, or one taken from the approved e-mail, which stays as it is until the draft is approved. */
export function draftOf(email: Email): EmailVersion {
  return structuredClone(email.draft ?? email.approved) as EmailVersion;
}

function headText(request: ApiRequest, name: string): string | null {
  const value = objectOf(request, name)?.value;
  return typeof value === "string" && value !== "" ? value : null;
}
