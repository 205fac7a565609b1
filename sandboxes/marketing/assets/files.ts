import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { blank, Refusal } from "../gateway/refusal.ts";
import type { Route } from "../gateway/router.ts";
import { assetTime } from "../gateway/times.ts";
import { type Context, type Instance, nextId } from "../instance.ts";
import type { StoredFile } from "../records.ts";
import { notFound, pageByOffset, requireField, requireParent, standsIn } from "./asset-request.ts";
import { reads, writes } from "./route-lines.ts";

/** `GET /rest/asset/v1/files.json` */
function browseFiles(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const isThere = standsIn(request);
  const files = [...instance.files.values()].filter((file) => isThere({ ...file, programId: null }));
  return pageByOffset(context, request, files, (file) => fileRecord(instance, file));
}

/** `GET /rest/asset/v1/file/{id}.json` */
function readFile({ instance }: Context, request: ApiRequest): Reply {
  const file = instance.files.get(pathId(request));
  return { result: file ? [fileRecord(instance, file)] : [] };
}

/** `GET /rest/asset/v1/file/byName.json` */
function findFile({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const found = [...instance.files.values()].filter((file) => file.name === name);
  return { result: found.map((file) => fileRecord(instance, file)) };
}

/** `POST /rest/asset/v1/files.json`: a multipart form with the file in `file`. */
function createFile({ instance, clock }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const { folderId } = requireParent(instance, request);
  const uploaded = requireUpload(request);
  const known = [...instance.files.values()].find((file) => file.name === name);
  if (known && textOf(request, "insertOnly")?.toLowerCase() === "true")
    throw new Refusal("709", `File '${name}' already exists`);
  const file: StoredFile = {
    id: known?.id ?? nextId(instance.files),
    name,
    description: textOf(request, "description") ?? known?.description ?? "",
    folderId,
    mimeType: uploaded.type,
    content: uploaded.content,
    createdAt: known?.createdAt ?? clock.now(),
    updatedAt: clock.now(),
  };
  instance.files.set(file.id, file);
  return { result: [fileRecord(instance, file)] };
}

/** `POST /rest/asset/v1/file/{id}/content.json` */
function replaceFile({ instance, clock }: Context, request: ApiRequest): Reply {
  const file = instance.files.get(pathId(request));
  if (!file) throw notFound("File");
  const { type, content } = requireUpload(request);
  Object.assign(file, { mimeType: type, content, updatedAt: clock.now() });
  return { result: [fileRecord(instance, file)] };
}

function requireUpload(request: ApiRequest) {
  const uploaded = request.files.get("file");
  if (!uploaded) throw blank("file");
  return uploaded;
}

const fileRecord = ({ folders }: Instance, file: StoredFile): object => ({
  id: file.id,
  name: file.name,
  description: file.description,
  createdAt: assetTime(file.createdAt),
  updatedAt: assetTime(file.updatedAt),
  url: `https://files.example.com/rs/000-AAA-000/images/${encodeURIComponent(file.name)}`,
  folder: { id: file.folderId, type: "Folder", name: folders.get(file.folderId)?.name ?? "" },
  mimeType: file.mimeType,
  size: Buffer.byteLength(file.content),
});

export const fileRoutes: Route[] = [
  reads("files.json", browseFiles),
  writes("files.json", createFile),
  reads("file/byName.json", findFile),
  reads("file/{id}.json", readFile),
  writes("file/{id}/content.json", replaceFile),
];
