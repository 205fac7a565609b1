import { type ApiRequest, idsOf, listOf, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { pageById } from "../gateway/page-by-id.ts";
import { Refusal } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context, Instance } from "../instance.ts";
import type { StaticList } from "../records.ts";

/** `GET /rest/v1/lists.json` */
export function queryLists(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const isWanted = readFilters(request);
  const lists = [...instance.lists.values()].filter((list) =>
    isWanted({ ...list, programName: programName(instance, list.programId) }),
  );
  return pageById(context, request, "lists", lists, (list) => listRecord(instance, list));
}

/** `GET /rest/v1/lists/{id}.json` */
export function readList({ instance }: Context, request: ApiRequest): Reply {
  return { result: [listRecord(instance, requireList(instance, pathId(request)))] };
}

export function requireList(instance: Instance, id: number): StaticList {
  const list = instance.lists.get(id);
  if (!list) throw new Refusal("1013", "Object not found");
  return list;
}

/** The filters that lists and campaigns share: each takes several values, and those left out let everything pass. */
export function readFilters(request: ApiRequest) {
  const ids = new Set(idsOf(request, "id"));
  const names = new Set(listOf(request, "name"));
  const programs = new Set(listOf(request, "programName"));
  const workspaces = new Set(listOf(request, "workspaceName"));
  return (row: { id: number; name: string; programName: string | null }) =>
    (ids.size === 0 || ids.has(row.id)) &&
    (names.size === 0 || names.has(row.name)) &&
    (programs.size === 0 || (row.programName !== null && programs.has(row.programName))) &&
    (workspaces.size === 0 || workspaces.has("Default"));
}

export function programName({ programs }: Pick<Instance, "programs">, id: number | null): string | null {
  return id === null ? null : (programs.get(id)?.name ?? null);
}

/** Description and program are absent where there are none. The workspace's id is undocumented, and recorded. */
function listRecord(instance: Instance, list: StaticList): object {
  const program = programName(instance, list.programId);
  return {
    id: list.id,
    name: list.name,
    ...(list.description === null ? {} : { description: list.description }),
    ...(program === null ? {} : { programName: program }),
    workspaceId: 1,
    workspaceName: "Default",
    createdAt: leadTime(list.createdAt),
    updatedAt: leadTime(list.updatedAt),
  };
}
