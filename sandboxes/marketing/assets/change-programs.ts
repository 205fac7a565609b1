import { type ApiRequest, isObject, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue, Refusal } from "../gateway/refusal.ts";
import { type Context, nextId } from "../instance.ts";
import type { Program, ProgramType } from "../records.ts";
import { looseValueOf, notFound, pageByOffset, requireField, requireForm, requireParent } from "./asset-request.ts";
import { contentsOf } from "./folder-contents.ts";
import { programRecord, wholeRecord } from "./programs.ts";

const types: Record<string, ProgramType> = {
  default: "Default",
  program: "Default",
  event: "Event",
  webinar: "Event with Webinar",
  nurture: "Engagement",
  engagement: "Engagement",
  email: "Email",
};

/** `POST /rest/asset/v1/programs.json` */
export function createProgram({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const name = requireField(request, "name");
  const { folderId } = requireParent(instance, request);
  const wanted = requireField(request, "type");
  const type = types[wanted.toLowerCase()];
  if (!type) throw invalidValue("type", wanted);
  const channel = requireField(request, "channel");
  refuseSameName(instance.programs, name);
  const program: Program = {
    id: nextId(instance.programs),
    name,
    description: textOf(request, "description") ?? "",
    type,
    channel,
    folderId,
    status: type === "Email" ? "unlocked" : "",
    tags: readTags(request) ?? [],
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
  instance.programs.set(program.id, program);
  return { result: [wholeRecord(instance, program)] };
}

function refuseSameName(programs: Map<number, Program>, name: string): void {
  if ([...programs.values()].some((program) => program.name === name))
    throw new Refusal("709", `Program '${name}' already exists`);
}

function readTags(request: ApiRequest): Program["tags"] | null {
  const value = looseValueOf(request, "tags");
  if (value === null) return null;
  if (!Array.isArray(value)) throw invalidValue("tags", value);
  return value.filter(isObject).map(({ tagType, tagValue }) => ({
    tagType: String(tagType),
    tagValue: String(tagValue),
  }));
}

function requireProgram({ instance }: Context, request: ApiRequest): Program {
  const program = instance.programs.get(pathId(request));
  if (!program) throw notFound("Program");
  return program;
}

/** `POST /rest/asset/v1/program/{id}.json` */
export function updateProgram(context: Context, request: ApiRequest): Reply {
  requireForm(request);
  const program = requireProgram(context, request);
  program.name = textOf(request, "name") ?? program.name;
  program.description = textOf(request, "description") ?? program.description;
  program.tags = readTags(request) ?? program.tags;
  program.updatedAt = context.clock.now();
  return { result: [wholeRecord(context.instance, program)] };
}

/** `POST /rest/asset/v1/program/{id}/delete.json`: an empty one only. */
export function deleteProgram(context: Context, request: ApiRequest): Reply {
  const { id } = requireProgram(context, request);
  if (contentsOf(context.instance, "Program", id).length > 0) throw new Refusal("709", "Program is not empty");
  context.instance.programs.delete(id);
  return { result: [{ id }] };
}

/** `POST /rest/asset/v1/program/{id}/clone.json`: without what stands in it. */
export function cloneProgram(context: Context, request: ApiRequest): Reply {
  requireForm(request);
  const { instance, clock } = context;
  const first = requireProgram(context, request);
  const name = requireField(request, "name");
  refuseSameName(instance.programs, name);
  const copy: Program = {
    ...first,
    id: nextId(instance.programs),
    name,
    description: textOf(request, "description") ?? first.description,
    folderId: requireParent(instance, request).folderId,
    status: first.type === "Email" ? "unlocked" : first.status,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
  instance.programs.set(copy.id, copy);
  return { result: [wholeRecord(instance, copy)] };
}

/** `POST /rest/asset/v1/program/{id}/approve.json` and `/unapprove.json`: e-mail programs only. */
export const lockProgram =
  (status: "locked" | "unlocked") =>
  (context: Context, request: ApiRequest): Reply => {
    const program = requireProgram(context, request);
    if (program.type !== "Email") throw new Refusal("709", "Only email programs can be approved");
    if (program.status === "completed" || program.status === status)
      throw new Refusal("709", `The program is ${program.status}`);
    program.status = status;
    program.updatedAt = context.clock.now();
    return { result: [{ id: program.id }] };
  };

/** `GET /rest/asset/v1/program/byTag.json` */
export function findProgramsByTag(context: Context, request: ApiRequest): Reply {
  const tagType = requireField(request, "tagType");
  const tagValue = requireField(request, "tagValue");
  const found = [...context.instance.programs.values()].filter(({ tags }) =>
    tags.some((tag) => tag.tagType === tagType && tag.tagValue === tagValue),
  );
  return pageByOffset(context, request, found, (program) => programRecord(context.instance, program));
}
