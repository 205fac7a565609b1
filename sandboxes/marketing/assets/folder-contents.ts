import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { Refusal } from "../gateway/refusal.ts";
import type { Context, Instance } from "../instance.ts";
import { notFound, pageByOffset } from "./asset-request.ts";

interface Standing {
  folderId: number;
  programId: number | null;
}

/** The kinds of asset that stand in a folder or a program, with the vendor's words for them. */
const kinds = (instance: Instance): [word: string, table: Map<number, Standing>][] => [
  ["Static List", instance.lists],
  ["Smart Campaign", instance.campaigns],
  ["Email", instance.emails],
  ["Landing Page", instance.landingPages],
  ["Email Template", instance.emailTemplates],
  ["Landing Page Template", instance.pageTemplates],
  ["Form", instance.forms],
  ["Snippet", instance.snippets],
  ["Smart List", instance.smartLists],
];

/** `GET /rest/asset/v1/folder/{id}/content.json`: what stands directly in a folder, or in a program with `type=Program`. */
export function readFolderContents(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const type = textOf(request, "type") ?? "Folder";
  if (type !== "Folder" && type !== "Program") throw new Refusal("711", "Invalid folder type");
  const id = pathId(request);
  if (!(type === "Program" ? instance.programs : instance.folders).has(id)) throw notFound(type);
  return pageByOffset(context, request, contentsOf(instance, type, id), (row) => row);
}

export function contentsOf(instance: Instance, type: "Folder" | "Program", id: number): { id: number; type: string }[] {
  const isThere = ({ folderId, programId }: Standing): boolean =>
    type === "Program" ? programId === id : programId === null && folderId === id;
  const assets = kinds(instance).flatMap(([word, table]) =>
    [...table].filter(([, row]) => isThere(row)).map(([each]) => ({ id: each, type: word })),
  );
  if (type === "Program") return assets;
  const folders = [...instance.folders.values()].filter(({ parentId }) => parentId === id);
  const programs = [...instance.programs.values()].filter(({ folderId }) => folderId === id);
  return [
    ...folders.map((folder) => ({ id: folder.id, type: "Folder" })),
    ...programs.map((program) => ({ id: program.id, type: "Program" })),
    ...assets,
  ];
}
