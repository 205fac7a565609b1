import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import type { Route } from "../gateway/router.ts";
import { assetTime } from "../gateway/times.ts";
import { type Context, nextId } from "../instance.ts";
import type { SmartList } from "../records.ts";
import { appUrl, askedFor, notFound, pageByOffset, requireField, requireForm, requireParent } from "./asset-request.ts";
import { reads, writes } from "./route-lines.ts";

/** Smart lists are made in the vendor's pages; the API shows, copies and deletes them. */

/** `GET /rest/asset/v1/smartLists.json` */
function browse(context: Context, request: ApiRequest): Reply {
  const lists = askedFor(request, context.instance.smartLists.values());
  return pageByOffset(context, request, lists, (list) => smartListRecord(list));
}

/** `GET /rest/asset/v1/smartList/byName.json` */
function find({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  return {
    result: [...instance.smartLists.values()].filter((list) => list.name === name).map((list) => smartListRecord(list)),
  };
}

/** `GET /rest/asset/v1/smartList/{id}.json`; `includeRules=true` adds its filters. */
function read({ instance }: Context, request: ApiRequest): Reply {
  const list = instance.smartLists.get(pathId(request));
  return { result: list ? [smartListRecord(list, withRules(request))] : [] };
}

const withRules = (request: ApiRequest): boolean => textOf(request, "includeRules")?.toLowerCase() === "true";

/** `POST /rest/asset/v1/smartList/{id}/clone.json` */
function clone({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const first = instance.smartLists.get(pathId(request));
  if (!first) throw notFound("Smart list");
  const copy: SmartList = {
    ...first,
    id: nextId(instance.smartLists),
    name: requireField(request, "name"),
    description: textOf(request, "description") ?? first.description,
    ...requireParent(instance, request),
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
  instance.smartLists.set(copy.id, copy);
  return { result: [smartListRecord(copy)] };
}

/** `POST /rest/asset/v1/smartList/{id}/delete.json` */
function remove({ instance }: Context, request: ApiRequest): Reply {
  const id = pathId(request);
  if (!instance.smartLists.delete(id)) throw notFound("Smart list");
  return { result: [{ id }] };
}

/** The list of a campaign or a program: `smartCampaign/{id}/smartList.json`, `program/{id}/smartList.json`. */
const ofOwner =
  (title: string, table: (context: Context) => Map<number, Omit<SmartList, "description"> & { description: string }>) =>
  (context: Context, request: ApiRequest): Reply => {
    const owner = table(context).get(pathId(request));
    if (!owner) throw notFound(title);
    const { id, name, description, folderId, createdAt, updatedAt } = owner;
    const list = { id: id + 5000, name: `${name} list`, description, folderId, programId: null, createdAt, updatedAt };
    return { result: [smartListRecord(list, withRules(request))] };
  };

const smartListRecord = (list: SmartList, hasRules = false): object => ({
  id: list.id,
  name: list.name,
  description: list.description,
  createdAt: assetTime(list.createdAt),
  updatedAt: assetTime(list.updatedAt),
  folder: list.programId === null ? { id: list.folderId, type: "Folder" } : { id: list.programId, type: "Program" },
  url: appUrl(`SL${list.id}A1`),
  workspace: "Default",
  ...(hasRules ? { rules: { filterMatchType: "all", triggers: [], filters: [] } } : {}),
});

export const smartListRoutes: Route[] = [
  reads("smartLists.json", browse),
  reads("smartList/byName.json", find),
  reads("smartList/{id}.json", read),
  writes("smartList/{id}/clone.json", clone),
  writes("smartList/{id}/delete.json", remove),
  reads(
    "smartCampaign/{id}/smartList.json",
    ofOwner("Smart campaign", ({ instance }) => instance.campaigns),
  ),
  reads(
    "program/{id}/smartList.json",
    ofOwner("Program", ({ instance }) => instance.programs as never),
  ),
];
