import { type ApiRequest, pathId, readId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { blank, Refusal } from "../gateway/refusal.ts";
import { type Context, nextId } from "../instance.ts";
import type { Folder } from "../records.ts";
import { notFound, objectOf, requireField, requireForm } from "./asset-request.ts";
import { contentsOf } from "./folder-contents.ts";
import { folderRecord } from "./folders.ts";

/** `POST /rest/asset/v1/folders.json`: a form with `name` and `parent` (JSON text). */
export function createFolder({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const name = requireField(request, "name");
  const parent = objectOf(request, "parent");
  if (parent === null) throw blank("parent");
  const above = parent.type === "Folder" ? instance.folders.get(readId(parent.id)) : undefined;
  if (!above) throw new Refusal("710", "Parent folder not found");
  if ([...instance.folders.values()].some((folder) => folder.parentId === above.id && folder.name === name))
    throw new Refusal("709", `Folder '${name}' already exists`);
  const folder: Folder = {
    id: nextId(instance.folders),
    name,
    kind: above.kind,
    parentId: above.id,
    isSystem: false,
    createdAt: clock.now(),
    description: textOf(request, "description"),
  };
  instance.folders.set(folder.id, folder);
  return { result: [folderRecord(instance, folder)] };
}

/** `POST /rest/asset/v1/folder/{id}.json` */
export function updateFolder({ instance }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const folder = instance.folders.get(pathId(request));
  if (!folder) throw notFound("Folder");
  if (folder.isSystem) throw new Refusal("709", "A system folder cannot be changed");
  folder.name = textOf(request, "name") ?? folder.name;
  folder.description = textOf(request, "description") ?? folder.description ?? null;
  const archive = textOf(request, "isArchive");
  if (archive !== null) folder.isArchive = archive.toLowerCase() === "true";
  return { result: [folderRecord(instance, folder)] };
}

/** `POST /rest/asset/v1/folder/{id}/delete.json`: an empty one only. */
export function deleteFolder({ instance }: Context, request: ApiRequest): Reply {
  const id = pathId(request);
  const folder = instance.folders.get(id);
  if (!folder) throw notFound("Folder");
  if (folder.isSystem || contentsOf(instance, "Folder", id).length > 0)
    throw new Refusal("709", "Folder is not empty, or is a system folder");
  instance.folders.delete(id);
  return { result: [{ id }] };
}
