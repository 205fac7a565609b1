import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import type { Route } from "../gateway/router.ts";
import type { Context } from "../instance.ts";
import type { AssetContent } from "../records.ts";
import { notFound, pageByOffset } from "./asset-request.ts";
import { type DraftedKind, draftedRoutes } from "./drafted-assets.ts";
import { reads } from "./route-lines.ts";

/** HTML comes as a file of a multipart form, or as a field of its own name. */
const readHtml = (request: ApiRequest, before: AssetContent): unknown =>
  request.files.get("content")?.content ?? textOf(request, "content") ?? before.content ?? "<html><body></body></html>";

const emailTemplates: DraftedKind = {
  title: "Email Template",
  word: "emailTemplate",
  mark: "EMT",
  table: ({ emailTemplates }) => emailTemplates,
  readContent: (request, before) => ({ content: readHtml(request, before) }),
  contentRows: ({ id }, { content }, status) => [{ id, status, content }],
};

const pageTemplates: DraftedKind = {
  title: "Landing Page Template",
  word: "landingPageTemplate",
  mark: "LPT",
  table: ({ pageTemplates }) => pageTemplates,
  readContent: (request, before) => ({
    content: readHtml(request, before),
    templateType: textOf(request, "templateType") ?? before.templateType ?? "freeForm",
    enableMunchkin: (textOf(request, "enableMunchkin") ?? String(before.enableMunchkin ?? true)) === "true",
  }),
  shown: ({ templateType, enableMunchkin }) => ({ templateType, enableMunchkin }),
  contentRows: ({ id }, { content, templateType, enableMunchkin }, status) => [
    { id, status, content, templateType, enableMunchkin },
  ],
};

/** `GET /rest/asset/v1/emailTemplates/{id}/usedBy.json` */
function listUses(context: Context, request: ApiRequest): Reply {
  const { emails, emailTemplates: templates } = context.instance;
  const id = pathId(request);
  if (!templates.has(id)) throw notFound("Email Template");
  const using = [...emails.values()].filter(({ template, underTest }) => template === id && !underTest);
  return pageByOffset(context, request, using, ({ id: emailId, name, approved }) => ({
    id: emailId,
    name,
    type: "Email",
    status: approved ? "approved" : "draft",
    updatedAt: null,
  }));
}

export const templateRoutes: Route[] = [
  ...draftedRoutes(emailTemplates),
  reads("emailTemplates/{id}/usedBy.json", listUses),
  ...draftedRoutes(pageTemplates),
];
