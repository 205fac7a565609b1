import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue, Refusal } from "../gateway/refusal.ts";
import type { Route } from "../gateway/router.ts";
import type { Context, Instance } from "../instance.ts";
import type { MyToken } from "../records.ts";
import { appUrl, notFound, requireField, requireForm } from "./asset-request.ts";
import { folderReference } from "./folders.ts";
import { reads, writes } from "./route-lines.ts";

/** My tokens stand in folders and programs; what stands below them inherits them. */

const types = ["date", "number", "rich text", "score", "sfdc campaign", "text", "script block", "iCalendar"];

interface Holder {
  id: number;
  type: "Folder" | "Program";
}

function requireHolder({ instance }: Context, request: ApiRequest): Holder {
  const type = textOf(request, "folderType") ?? "Folder";
  if (type !== "Folder" && type !== "Program") throw new Refusal("711", "Invalid folder type");
  const id = pathId(request);
  if (!(type === "Program" ? instance.programs : instance.folders).has(id)) throw notFound(type);
  return { id, type };
}

const tokensAt = ({ tokens }: Instance, { type, id }: Holder): MyToken[] => tokens.get(`${type} ${id}`) ?? [];

function replyWith({ instance }: Context, holder: Holder): Reply {
  const tokens = tokensAt(instance, holder);
  const folder = folderReference(
    instance,
    holder.type === "Program" ? { folderId: 0, programId: holder.id } : { folderId: holder.id, programId: null },
  );
  const shown = tokens.map((token) => ({ ...token, computedUrl: appUrl(`MT${holder.id}A1`) }));
  return { result: tokens.length === 0 ? [] : [{ folder, tokens: shown }] };
}

/** `GET /rest/asset/v1/folder/{id}/tokens.json` */
const readTokens = (context: Context, request: ApiRequest): Reply =>
  replyWith(context, requireHolder(context, request));

/** `POST /rest/asset/v1/folder/{id}/tokens.json`: makes one, or changes the one of that name and type. */
function saveToken(context: Context, request: ApiRequest): Reply {
  requireForm(request);
  const holder = requireHolder(context, request);
  const name = nameOf(request);
  const type = typeOf(request);
  const value = requireField(request, "value");
  const others = tokensAt(context.instance, holder).filter((token) => token.name !== name || token.type !== type);
  context.instance.tokens.set(`${holder.type} ${holder.id}`, [...others, { name, type, value }]);
  return replyWith(context, holder);
}

/** `POST /rest/asset/v1/folder/{id}/tokens/delete.json` */
function deleteToken(context: Context, request: ApiRequest): Reply {
  requireForm(request);
  const holder = requireHolder(context, request);
  const [name, type] = [nameOf(request), typeOf(request)];
  const before = tokensAt(context.instance, holder);
  const others = before.filter((token) => token.name !== name || token.type !== type);
  if (others.length === before.length) throw notFound("Token");
  context.instance.tokens.set(`${holder.type} ${holder.id}`, others);
  return { result: [{ id: holder.id }] };
}

/** The name alone, with or without the braces and `my.` in which other calls write it. */
const nameOf = (request: ApiRequest): string => requireField(request, "name").replace(/^\{\{(?:my\.)?|\}\}$/g, "");

function typeOf(request: ApiRequest): string {
  const type = requireField(request, "type");
  if (!types.includes(type)) throw invalidValue("type", type);
  return type;
}

export const tokenRoutes: Route[] = [
  reads("folder/{id}/tokens.json", readTokens),
  writes("folder/{id}/tokens.json", saveToken),
  writes("folder/{id}/tokens/delete.json", deleteToken),
];
