import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { assetTime } from "../gateway/times.ts";
import type { Context, Instance } from "../instance.ts";
import type { LandingPage } from "../records.ts";
import { appUrl, pageByOffset, requireField } from "./asset-request.ts";
import { folderReference } from "./folders.ts";

/** `GET /rest/asset/v1/landingPages.json` */
export function browseLandingPages(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const status = textOf(request, "status");
  const pages = [...instance.landingPages.values()].filter((page) => status === null || page.status === status);
  return pageByOffset(context, request, pages, (page) => pageRecord(instance, page));
}

/** `GET /rest/asset/v1/landingPage/{id}.json` */
export function readLandingPage({ instance }: Context, request: ApiRequest): Reply {
  const page = instance.landingPages.get(pathId(request));
  return { result: page ? [pageRecord(instance, page)] : [] };
}

/** `GET /rest/asset/v1/landingPage/byName.json` */
export function findLandingPage({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const found = [...instance.landingPages.values()].filter((page) => page.name === name);
  return { result: found.map((page) => pageRecord(instance, page)) };
}

export const pageUrl = (page: LandingPage) =>
  `https://pages.example.com/${page.name.toLowerCase().replaceAll(" ", "-")}.html`;

function pageRecord(instance: Instance, page: LandingPage): object {
  return {
    id: page.id,
    name: page.name,
    description: page.description,
    createdAt: assetTime(page.createdAt),
    updatedAt: assetTime(page.updatedAt),
    folder: folderReference(instance, page),
    workspace: "Default",
    status: page.status,
    template: page.template,
    title: page.title,
    robots: "index, nofollow",
    formPrefill: false,
    mobileEnabled: true,
    URL: pageUrl(page),
    computedUrl: appUrl(`LP${page.id}B2`),
  };
}
