import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { Refusal } from "../gateway/refusal.ts";
import { assetTime } from "../gateway/times.ts";
import { type Context, nextId } from "../instance.ts";
import type { StaticList } from "../records.ts";
import { appUrl, askedFor, notFound, pageByOffset, requireField, requireForm, requireParent } from "./asset-request.ts";

/** `GET /rest/asset/v1/staticLists.json` */
export function browseStaticLists(context: Context, request: ApiRequest): Reply {
  const lists = askedFor(request, context.instance.lists.values());
  return pageByOffset(context, request, lists, staticListRecord);
}

/** `GET /rest/asset/v1/staticList/{id}.json` */
export function readStaticList({ instance }: Context, request: ApiRequest): Reply {
  const list = instance.lists.get(pathId(request));
  return { result: list ? [staticListRecord(list)] : [] };
}

/** `GET /rest/asset/v1/staticList/byName.json` */
export function findStaticList({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  return { result: [...instance.lists.values()].filter((list) => list.name === name).map(staticListRecord) };
}

/** `POST /rest/asset/v1/staticLists.json`: a form with `name`, `folder` (JSON text) and perhaps `description`. */
export function createStaticList({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const name = requireField(request, "name");
  const parent = requireParent(instance, request);
  if ([...instance.lists.values()].some((list) => list.name === name)) {
    throw new Refusal("709", `Static list '${name}' already exists`);
  }
  const list: StaticList = {
    id: nextId(instance.lists),
    name,
    description: textOf(request, "description"),
    ...parent,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    members: new Set(),
  };
  instance.lists.set(list.id, list);
  return { result: [staticListRecord(list)] };
}

/** `POST /rest/asset/v1/staticList/{id}.json`: a new name or description. */
export function updateStaticList({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const list = instance.lists.get(pathId(request));
  if (!list) throw notFound("Static list");
  list.name = textOf(request, "name") ?? list.name;
  list.description = textOf(request, "description") ?? list.description;
  list.updatedAt = clock.now();
  return { result: [staticListRecord(list)] };
}

/** `POST /rest/asset/v1/staticList/{id}/delete.json` */
export function deleteStaticList({ instance }: Context, request: ApiRequest): Reply {
  const id = pathId(request);
  if (!instance.lists.delete(id)) throw notFound("Static list");
  return { result: [{ id }] };
}

/** The folder here is `{id, type}`, unlike on programs and e-mails. */
function staticListRecord(list: StaticList): object {
  return {
    id: list.id,
    name: list.name,
    ...(list.description === null ? {} : { description: list.description }),
    createdAt: assetTime(list.createdAt),
    updatedAt: assetTime(list.updatedAt),
    folder: list.programId === null ? { id: list.folderId, type: "Folder" } : { id: list.programId, type: "Program" },
    computedUrl: appUrl(`ST${list.id}A1`),
    workspace: "Default",
  };
}
