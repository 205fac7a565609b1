import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue, Refusal } from "../gateway/refusal.ts";
import { type Context, nextId } from "../instance.ts";
import type { Email, EmailVersion, SectionValue } from "../records.ts";
import { notFound, requireField, requireForm, requireParent } from "./asset-request.ts";
import { draftOf } from "./email-content.ts";
import { emailRecord, requireEmail, versionOf } from "./email-record.ts";
import { statusOf } from "./emails.ts";

/** `POST /rest/asset/v1/emails.json`: a new e-mail is a draft, with the sections of its template. */
export function createEmail({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const name = requireField(request, "name");
  const parent = requireParent(instance, request);
  const template = Number(requireField(request, "template"));
  if (!instance.emailTemplates.has(template)) throw notFound("Email Template");
  const draft: EmailVersion = {
    subject: textOf(request, "subject"),
    fromName: textOf(request, "fromName"),
    fromEmail: textOf(request, "fromEmail"),
    replyEmail: textOf(request, "replyEmail"),
    preHeader: null,
    sections: [{ htmlId: "main-text", contentType: "Text", value: texts("<p></p>", ""), isLocked: false }],
  };
  const email: Email = {
    id: nextId(instance.emails),
    name,
    description: textOf(request, "description") ?? "",
    ...parent,
    operational: isTrue(request, "operational") ?? false,
    textOnly: isTrue(request, "textOnly") ?? false,
    template,
    underTest: false,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    approved: null,
    draft,
  };
  instance.emails.set(email.id, email);
  return { result: [emailRecord(instance, email, ["draft", draft])] };
}

const isTrue = (request: ApiRequest, name: string): boolean | null => {
  const text = textOf(request, name)?.toLowerCase();
  return text === undefined ? null : text === "true";
};

const texts = (html: string, text: string): SectionValue => [
  { type: "HTML", value: html },
  { type: "Text", value: text },
];

/** `POST /rest/asset/v1/email/{id}.json`: name, description and kind change at once. */
export function updateEmail({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const email = requireEmail(instance, pathId(request));
  email.name = textOf(request, "name") ?? email.name;
  email.description = textOf(request, "description") ?? email.description;
  email.operational = isTrue(request, "operational") ?? email.operational;
  email.updatedAt = clock.now();
  const version = versionOf(email, null);
  return { result: version ? [emailRecord(instance, email, version)] : [] };
}

/** `POST /rest/asset/v1/email/{id}/delete.json`: not one that a campaign sends. */
export function deleteEmail({ instance }: Context, request: ApiRequest): Reply {
  const { id } = requireEmail(instance, pathId(request));
  if ([...instance.campaigns.values()].some(({ emailId }) => emailId === id))
    throw new Refusal("709", "Email is in use by a campaign");
  instance.emails.delete(id);
  return { result: [{ id }] };
}

/** `POST /rest/asset/v1/email/{id}/clone.json`: the copy is a draft. */
export function cloneEmail({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const first = requireEmail(instance, pathId(request));
  const draft = draftOf(first);
  const copy: Email = {
    ...first,
    id: nextId(instance.emails),
    name: requireField(request, "name"),
    description: textOf(request, "description") ?? first.description,
    ...requireParent(instance, request),
    createdAt: clock.now(),
    updatedAt: clock.now(),
    approved: null,
    draft,
  };
  instance.emails.set(copy.id, copy);
  return { result: [emailRecord(instance, copy, ["draft", draft])] };
}

/** `POST /rest/asset/v1/email/{id}/sendSample.json`: nothing leaves the sandbox. */
export function sendSample({ instance }: Context, request: ApiRequest): Reply {
  requireForm(request);
  requireEmail(instance, pathId(request));
  const address = requireField(request, "emailAddress");
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new Refusal("709", "Invalid email address");
  const leadId = textOf(request, "leadId");
  if (leadId !== null && !instance.leads.find(Number(leadId))) throw notFound("Lead");
  return { result: [{ service: "sendTestEmail", result: true }] };
}

/** `GET /rest/asset/v1/email/{id}/fullContent.json`: the whole document, as a lead would get it. */
export function readFullContent({ instance }: Context, request: ApiRequest): Reply {
  const email = requireEmail(instance, pathId(request));
  const found = versionOf(email, statusOf(request));
  if (!found) return { result: [] };
  const type = textOf(request, "type") ?? "HTML";
  if (type !== "HTML" && type !== "Text") throw invalidValue("type", type);
  const parts = found[1].sections.flatMap(({ value }) => (Array.isArray(value) ? value : []));
  const body = parts.filter((part) => part.type === type).map((part) => part.value);
  const content = type === "Text" ? body.join("\n") : `<html><body>${body.join("")}</body></html>`;
  return { result: [{ id: email.id, status: found[0], content }] };
}

/** `POST /rest/asset/v1/email/{id}/fullContent.json`: a multipart form with the document in `content`. */
export function replaceFullContent({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const email = requireEmail(instance, pathId(request));
  const html = request.files.get("content")?.content ?? requireField(request, "content");
  const draft = draftOf(email);
  draft.sections = [
    { htmlId: "main-text", contentType: "Text", value: texts(html, html.replace(/<[^>]*>/g, "")), isLocked: false },
  ];
  email.draft = draft;
  email.updatedAt = clock.now();
  return { result: [{ id: email.id }] };
}

const variableNames = ["headerColor", "buttonLabel"];

/** `GET /rest/asset/v1/email/{id}/variables.json` */
export function readVariables({ instance }: Context, request: ApiRequest): Reply {
  const email = requireEmail(instance, pathId(request));
  const { variables = {} } = versionOf(email, statusOf(request))?.[1] ?? {};
  return {
    result: variableNames.map((name) => ({ name, value: variables[name] ?? "", moduleScope: false })),
  };
}

/** `POST /rest/asset/v1/email/{id}/variable/{name}.json` */
export function updateVariable({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const email = requireEmail(instance, pathId(request));
  const { name = "" } = request.path;
  if (!variableNames.includes(name)) throw notFound("Variable");
  const value = requireField(request, "value");
  const draft = draftOf(email);
  draft.variables = { ...draft.variables, [name]: value };
  email.draft = draft;
  email.updatedAt = clock.now();
  return { result: [{ name, value, moduleScope: false }] };
}

/** `GET /rest/asset/v1/email/{id}/dynamicContent/{dynamicContentId}.json` */
export function readDynamicContent({ instance }: Context, request: ApiRequest): Reply {
  const email = requireEmail(instance, pathId(request));
  const version = versionOf(email, statusOf(request))?.[1];
  return { result: [dynamicRecord(version, requireDynamic(version, request))] };
}

/** `POST /rest/asset/v1/email/{id}/dynamicContent/{dynamicContentId}.json`: what one segment gets. */
export function updateDynamicContent({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const email = requireEmail(instance, pathId(request));
  const draft = draftOf(email);
  const id = requireDynamic(draft, request);
  const segment = requireField(request, "segment");
  const content = requireField(request, "value");
  const others = (draft.dynamic?.[id] ?? []).filter((each) => each.segmentName !== segment);
  draft.dynamic = { ...draft.dynamic, [id]: [...others, { segmentName: segment, type: "HTML", content }] };
  email.draft = draft;
  email.updatedAt = clock.now();
  return { result: [{ id: email.id }] };
}

function requireDynamic(version: EmailVersion | undefined, { path }: ApiRequest): string {
  const id = path.dynamicContentId ?? "";
  const isThere = version?.sections.some(
    ({ contentType, value, htmlId }) => contentType === "DynamicContent" && (String(value) === id || htmlId === id),
  );
  if (!isThere) throw notFound("Dynamic content");
  return id;
}

const dynamicRecord = (version: EmailVersion | undefined, id: string): object => ({
  id,
  segmentation: 1001,
  content: version?.dynamic?.[id] ?? [{ segmentName: "Default", type: "HTML", content: "<p></p>" }],
});
