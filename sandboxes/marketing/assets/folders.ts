import { type ApiRequest, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { assetTime } from "../gateway/times.ts";
import type { Context, Instance } from "../instance.ts";
import type { Folder } from "../records.ts";
import { pageByOffset, requireField } from "./asset-request.ts";

/** `GET /rest/asset/v1/folders.json` */
export function browseFolders(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  return pageByOffset(context, request, [...instance.folders.values()], (folder) => folderRecord(instance, folder));
}

/** `GET /rest/asset/v1/folder/{id}.json` */
export function readFolder({ instance }: Context, request: ApiRequest): Reply {
  const folder = instance.folders.get(pathId(request));
  return { result: folder ? [folderRecord(instance, folder)] : [] };
}

/** `GET /rest/asset/v1/folder/byName.json` */
export function findFolder({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const found = [...instance.folders.values()].filter((folder) => folder.name === name);
  return { result: found.map((folder) => folderRecord(instance, folder)) };
}

export function folderRecord(instance: Instance, folder: Folder): object {
  const at = assetTime(folder.createdAt);
  return {
    name: folder.name,
    description: folder.description ?? null,
    createdAt: at,
    updatedAt: at,
    url: null,
    folderId: { id: folder.id, type: "Folder" },
    folderType: folder.kind,
    parent: folder.parentId === null ? null : { id: folder.parentId, type: "Folder" },
    path: pathOf(instance, folder),
    isArchive: folder.isArchive ?? false,
    isSystem: folder.isSystem,
    accessZoneId: 1,
    workspace: "Default",
    id: folder.id,
  };
}

function pathOf(instance: Instance, folder: Folder): string {
  const parent = folder.parentId === null ? undefined : instance.folders.get(folder.parentId);
  return `${parent ? pathOf(instance, parent) : ""}/${folder.name}`;
}

/** How programs, e-mails and landing pages name their folder; static lists do it differently. */
export function folderReference(
  instance: Instance,
  { folderId, programId }: { folderId: number; programId: number | null },
) {
  if (programId !== null) {
    return { type: "Program", value: programId, folderName: instance.programs.get(programId)?.name ?? "" };
  }
  return { type: "Folder", value: folderId, folderName: instance.folders.get(folderId)?.name ?? "" };
}
