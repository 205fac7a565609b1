import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import type { Route } from "../gateway/router.ts";
import { assetTime } from "../gateway/times.ts";
import type { Context, Instance } from "../instance.ts";
import type { Segmentation } from "../records.ts";
import { appUrl, notFound, pageByOffset } from "./asset-request.ts";
import { folderReference } from "./folders.ts";
import { reads } from "./route-lines.ts";

/** `GET /rest/asset/v1/segmentation.json` */
function browseSegmentations(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const status = textOf(request, "status")?.toLowerCase() ?? null;
  const found = [...instance.segmentations.values()].filter((each) => status === null || each.status === status);
  return pageByOffset(context, request, found, (each) => segmentationRecord(instance, each));
}

/** `GET /rest/asset/v1/segmentation/{id}/segments.json` */
function readSegments(context: Context, request: ApiRequest): Reply {
  const segmentation = context.instance.segmentations.get(pathId(request));
  if (!segmentation) throw notFound("Segmentation");
  const rows = segmentation.segments.map((name, index) => ({ name, index }));
  return pageByOffset(context, request, rows, ({ name, index }) => ({
    id: segmentation.id * 10 + index,
    name,
    description: "",
    createdAt: assetTime(segmentation.createdAt),
    updatedAt: assetTime(segmentation.updatedAt),
    url: appUrl(`SG${segmentation.id}A1`),
    segmentationId: segmentation.id,
    status: segmentation.status,
  }));
}

const segmentationRecord = (instance: Instance, each: Segmentation): object => ({
  id: each.id,
  name: each.name,
  description: each.description,
  createdAt: assetTime(each.createdAt),
  updatedAt: assetTime(each.updatedAt),
  url: appUrl(`SG${each.id}A1`),
  folder: folderReference(instance, { folderId: each.folderId, programId: null }),
  status: each.status,
  workspace: "Default",
});

export const segmentationRoutes: Route[] = [
  reads("segmentation.json", browseSegmentations),
  reads("segmentation/{id}/segments.json", readSegments),
];
