import * as z from "zod";
import { toolMembers } from "../../tools/definition.ts";
import type { Tool, ToolVersion } from "../../tools/tools.ts";
import { idField, timeField } from "../shared-fields.ts";

/** A definition can take several times its size in a body, because JSON escapes characters. */
export const definitionBytesMax = 512 * 1024;

export const toolId = idField.meta({ description: "The tool, from `tools/list`" });

export const revisionField = z.int().min(1).optional().meta({
  description: "The revision that the change is based on; if the draft has changed since, the call is refused",
});

export const fieldErrors = z.array(
  z.object({
    pointer: z.string().meta({ description: "JSON Pointer to the mistake: `#/steps/1/input/branch`" }),
    code: z.string(),
    detail: z.string(),
  }),
);

export const toolRecord = z.object({
  tool_id: z.string().meta({ description: "Names the tool" }),
  ...toolMembers,
  revision: z.int(),
  published_version: z.int().nullable(),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});
z.globalRegistry.add(toolRecord, { id: "Tool" });

export const versionRecord = z.object({
  tool_id: z.string().meta({ description: "The tool" }),
  version: z.int().meta({ description: "Counts from 1" }),
  note: z.string().nullable(),
  definition: z.object(toolMembers).meta({ description: "The tool as it was published" }),
  created_by: z.string().meta({ description: "The account that published it" }),
  created_at: timeField,
});
z.globalRegistry.add(versionRecord, { id: "ToolVersion" });

export const toToolRecord = (tool: Tool): z.input<typeof toolRecord> => ({
  tool_id: tool.id,
  ...tool.definition,
  revision: tool.revision,
  published_version: tool.publishedVersion,
  created_by: tool.createdBy,
  created_at: tool.createdAt,
  updated_at: tool.updatedAt,
});

export const toVersionRecord = (version: ToolVersion): z.input<typeof versionRecord> => ({
  tool_id: version.toolId,
  version: version.version,
  note: version.note,
  definition: version.definition,
  created_by: version.createdBy,
  created_at: version.createdAt,
});
