import { type ApiRequest, listOf, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue } from "../gateway/refusal.ts";
import { assetTime } from "../gateway/times.ts";
import type { Context, Instance } from "../instance.ts";
import type { Program, ProgramType } from "../records.ts";
import { appUrl, pageByOffset, requireField, updatedWithin } from "./asset-request.ts";
import { folderReference } from "./folders.ts";

const urlMarks: Record<ProgramType, string> = {
  Default: "PG",
  Event: "ME",
  "Event with Webinar": "ME",
  Engagement: "NP",
  Email: "EBP",
};

/** `GET /rest/asset/v1/programs.json`; `type` is our requirement's own parameter. */
export function browsePrograms(context: Context, request: ApiRequest): Reply {
  const { instance, settings } = context;
  const type = settings.undocumented_paths ? textOf(request, "type")?.toLowerCase() : undefined;
  const status = textOf(request, "status");
  const isFiltered = readFilter(request);
  const isInTime = updatedWithin(request);
  const programs = [...instance.programs.values()].filter(
    (program) =>
      isFiltered(program) &&
      isInTime(program) &&
      (type === undefined || program.type.toLowerCase() === type) &&
      (status === null || program.status === status),
  );
  return pageByOffset(context, request, programs, (program) => programRecord(instance, program));
}

function readFilter(request: ApiRequest): (program: Program) => boolean {
  const filterType = textOf(request, "filterType");
  const values = new Set(listOf(request, "filterValues"));
  if (filterType === null) return () => true;
  if (filterType === "id" || filterType === "programId") return ({ id }) => values.has(String(id));
  if (filterType === "folderId") return ({ folderId }) => values.has(String(folderId));
  if (filterType === "workspace") return () => values.has("Default");
  throw invalidValue("filterType", filterType);
}

/** `GET /rest/asset/v1/program/{id}.json` */
export function readProgram({ instance }: Context, request: ApiRequest): Reply {
  const program = instance.programs.get(pathId(request));
  return { result: program ? [wholeRecord(instance, program)] : [] };
}

/** `GET /rest/asset/v1/program/byName.json` */
export function findProgram({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const found = [...instance.programs.values()].filter((program) => program.name === name);
  return { result: found.map((program) => wholeRecord(instance, program)) };
}

export function programRecord(instance: Instance, program: Program): object {
  return {
    id: program.id,
    name: program.name,
    description: program.description,
    createdAt: assetTime(program.createdAt),
    updatedAt: assetTime(program.updatedAt),
    url: appUrl(`${urlMarks[program.type]}${program.id}A1`),
    type: program.type,
    channel: program.channel,
    folder: folderReference(instance, { folderId: program.folderId, programId: null }),
    status: program.status,
    workspace: "Default",
    headStart: false,
  };
}

/** One program alone shows its tags and costs, which browsing leaves out. */
export const wholeRecord = (instance: Instance, program: Program) => ({
  ...programRecord(instance, program),
  tags: program.tags,
  costs: [],
});
