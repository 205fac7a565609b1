import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue, Refusal } from "../gateway/refusal.ts";
import type { Route } from "../gateway/router.ts";
import { assetTime } from "../gateway/times.ts";
import { type Context, type Instance, nextId } from "../instance.ts";
import type { AssetContent, DraftedAsset } from "../records.ts";
import {
  appUrl,
  askedFor,
  notFound,
  pageByOffset,
  requireField,
  requireForm,
  requireParent,
  standsIn,
} from "./asset-request.ts";
import { folderReference } from "./folders.ts";
import { approves, reads, writes } from "./route-lines.ts";

/** Templates, forms and snippets: the vendor serves them alike. */
export interface DraftedKind {
  /** As in a refusal: `Form not found`. */
  title: string;
  /** In a path: `form`; `forms` where there are several. */
  word: string;
  /** In the address of its page. */
  mark: string;
  table(instance: Instance): Map<number, DraftedAsset>;
  /** The content of a new one, and of one that is changed. */
  readContent(request: ApiRequest, before: AssetContent): AssetContent;
  /** Members that only this kind shows. */
  shown?(content: AssetContent): object;
  /** What `content.json` shows. */
  contentRows?(asset: DraftedAsset, content: AssetContent, status: Status): object[];
}

type Status = "approved" | "draft";

export function draftedRoutes(kind: DraftedKind): Route[] {
  const { word } = kind;
  return [
    reads(`${word}s.json`, (context, request) => browse(kind, context, request)),
    writes(`${word}s.json`, (context, request) => create(kind, context, request)),
    reads(`${word}/byName.json`, (context, request) => find(kind, context, request)),
    reads(`${word}/{id}.json`, (context, request) => read(kind, context, request)),
    writes(`${word}/{id}.json`, (context, request) => update(kind, context, request)),
    writes(`${word}/{id}/delete.json`, (context, request) => remove(kind, context, request)),
    writes(`${word}/{id}/clone.json`, (context, request) => clone(kind, context, request)),
    approves(`${word}/{id}/approveDraft.json`, (context, request) => approve(kind, context, request)),
    approves(`${word}/{id}/unapprove.json`, (context, request) => unapprove(kind, context, request)),
    writes(`${word}/{id}/discardDraft.json`, (context, request) => discard(kind, context, request)),
    ...(kind.contentRows
      ? [
          reads(`${word}/{id}/content.json`, (context, request) => readContent(kind, context, request)),
          // A client in Python leaves the ending out.
          reads(`${word}/{id}/content`, (context, request) => readContent(kind, context, request)),
          writes(`${word}/{id}/content.json`, (context, request) => updateContent(kind, context, request)),
        ]
      : []),
  ];
}

function browse(kind: DraftedKind, context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const status = statusOf(request);
  const found = askedFor(request, kind.table(instance).values()).filter((asset) => versionOf(asset, status));
  return pageByOffset(context, request, found, (asset) => recordOf(kind, instance, asset, status)[0]);
}

function find(kind: DraftedKind, { instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const [status, isThere] = [statusOf(request), standsIn(request)];
  const found = [...kind.table(instance).values()].filter((asset) => asset.name === name && isThere(asset));
  return { result: found.flatMap((asset) => recordOf(kind, instance, asset, status)) };
}

function read(kind: DraftedKind, { instance }: Context, request: ApiRequest): Reply {
  const asset = kind.table(instance).get(pathId(request));
  return { result: asset ? recordOf(kind, instance, asset, statusOf(request)) : [] };
}

function create(kind: DraftedKind, { instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const name = requireField(request, "name");
  const parent = requireParent(instance, request);
  refuseSameName(kind, instance, name, parent);
  const asset: DraftedAsset = {
    id: nextId(kind.table(instance)),
    name,
    description: textOf(request, "description") ?? "",
    ...parent,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    approved: null,
    draft: kind.readContent(request, {}),
  };
  kind.table(instance).set(asset.id, asset);
  return { result: recordOf(kind, instance, asset, null) };
}

function clone(kind: DraftedKind, { instance, clock }: Context, request: ApiRequest): Reply {
  const { id, approved, draft, ...first } = requireAsset(kind, instance, request);
  const name = requireField(request, "name");
  const parent = requireParent(instance, request);
  refuseSameName(kind, instance, name, parent);
  const copy: DraftedAsset = {
    ...first,
    ...parent,
    name,
    id: nextId(kind.table(instance)),
    description: textOf(request, "description") ?? first.description,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    approved: null,
    draft: structuredClone(draft ?? approved ?? {}),
  };
  kind.table(instance).set(copy.id, copy);
  return { result: recordOf(kind, instance, copy, null) };
}

function refuseSameName(
  kind: DraftedKind,
  instance: Instance,
  name: string,
  parent: { folderId: number; programId: number | null },
): void {
  const isThere = [...kind.table(instance).values()].some(
    (asset) => asset.name === name && asset.folderId === parent.folderId && asset.programId === parent.programId,
  );
  if (isThere) throw new Refusal("709", `${kind.title} '${name}' already exists in this folder`);
}

/** Name and description change at once, the rest in the draft. */
function update(kind: DraftedKind, { instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const asset = requireAsset(kind, instance, request);
  asset.name = textOf(request, "name") ?? asset.name;
  asset.description = textOf(request, "description") ?? asset.description;
  const before = asset.draft ?? asset.approved ?? {};
  const after = kind.readContent(request, before);
  if (JSON.stringify(after) !== JSON.stringify(before)) asset.draft = after;
  asset.updatedAt = clock.now();
  return { result: recordOf(kind, instance, asset, null) };
}

function remove(kind: DraftedKind, { instance }: Context, request: ApiRequest): Reply {
  const { id } = requireAsset(kind, instance, request);
  kind.table(instance).delete(id);
  return { result: [{ id }] };
}

function approve(kind: DraftedKind, { instance, clock }: Context, request: ApiRequest): Reply {
  const asset = requireAsset(kind, instance, request);
  if (!asset.draft)
    throw new Refusal("709", `No draft to approve: the ${kind.title.toLowerCase()} is already approved`);
  asset.approved = asset.draft;
  asset.draft = null;
  asset.updatedAt = clock.now();
  return { result: [{ id: asset.id }] };
}

function unapprove(kind: DraftedKind, { instance, clock }: Context, request: ApiRequest): Reply {
  const asset = requireAsset(kind, instance, request);
  if (!asset.approved) throw new Refusal("709", `${kind.title} is not approved`);
  asset.draft ??= asset.approved;
  asset.approved = null;
  asset.updatedAt = clock.now();
  return { result: [{ id: asset.id }] };
}

function discard(kind: DraftedKind, { instance, clock }: Context, request: ApiRequest): Reply {
  const asset = requireAsset(kind, instance, request);
  if (!asset.draft || !asset.approved)
    throw new Refusal("709", `There is no draft of an approved ${kind.title.toLowerCase()} to discard`);
  asset.draft = null;
  asset.updatedAt = clock.now();
  return { result: [{ id: asset.id }] };
}

function readContent(kind: DraftedKind, { instance }: Context, request: ApiRequest): Reply {
  const asset = requireAsset(kind, instance, request);
  const found = versionOf(asset, statusOf(request));
  return { result: found ? (kind.contentRows?.(asset, found[1], found[0]) ?? []) : [] };
}

function updateContent(kind: DraftedKind, { instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const asset = requireAsset(kind, instance, request);
  changeDraft(asset, clock.now(), (before) => kind.readContent(request, before));
  return { result: [{ id: asset.id }] };
}

/** A change of an approved asset makes a draft of it. */
export function changeDraft(asset: DraftedAsset, at: number, change: (before: AssetContent) => AssetContent): void {
  asset.draft = change(structuredClone(asset.draft ?? asset.approved ?? {}));
  asset.updatedAt = at;
}

export function requireAsset(kind: DraftedKind, instance: Instance, request: ApiRequest): DraftedAsset {
  const asset = kind.table(instance).get(pathId(request));
  if (!asset) throw notFound(kind.title);
  return asset;
}

export function statusOf(request: ApiRequest): Status | null {
  const status = textOf(request, "status")?.toLowerCase() ?? null;
  if (status === null || status === "approved" || status === "draft") return status;
  throw invalidValue("status", status);
}

export function versionOf(asset: DraftedAsset, status: Status | null): [Status, AssetContent] | null {
  for (const wish of status === null ? (["approved", "draft"] as const) : [status]) {
    const content = asset[wish];
    if (content) return [wish, content];
  }
  return null;
}

function recordOf(kind: DraftedKind, instance: Instance, asset: DraftedAsset, status: Status | null): object[] {
  const found = versionOf(asset, status);
  if (!found) return [];
  return [
    {
      id: asset.id,
      name: asset.name,
      description: asset.description,
      createdAt: assetTime(asset.createdAt),
      updatedAt: assetTime(asset.updatedAt),
      url: appUrl(`${kind.mark}${asset.id}B2`),
      folder: folderReference(instance, asset),
      status: found[0],
      workspace: "Default",
      ...kind.shown?.(found[1]),
    },
  ];
}
