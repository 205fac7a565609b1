import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { rowsThatFit } from "../../store/page-rows.ts";
import { saveDraft, saveVersion } from "../../tools/save-draft.ts";
import { listVersionSizes, listVersions, requireTool, versionMax, versionToRestore } from "../../tools/tools.ts";
import { revisionField, toolId, toolRecord, toToolRecord, toVersionRecord, versionRecord } from "./tool-response.ts";

export const toolVersionOperations = [
  externalOperation({
    path: "/latest/tools/{tool_id}/publish",
    area: "tools",
    summary: "Publish the draft as the version that runs use",
    description: "A draft that is already published keeps its version.",
    needs: "project editor",
    audit: "tool.published",
    refuses: ["tool_not_found", "tool_changed", "compute_exhausted"],
    input: z.object({
      tool_id: toolId,
      note: z
        .string()
        .max(2000)
        .refine((text) => !text.includes("\u0000"), { error: "The character U+0000 is not allowed." })
        .optional()
        .meta({ description: "What is new in it" }),
      revision: revisionField,
    }),
    output: z.object({
      tool_id: z.string().meta({ description: "The tool" }),
      version: z.int().meta({ description: "Counts from 1" }),
      revision: z.int(),
    }),
    example: { tool_id: "tol_us_…", note: "Waits for the build" },
    async run(scope, input, { compute }) {
      const basis = { toolId: input.tool_id, revision: input.revision };
      const { tool, version } = await saveVersion(scope, compute, basis, input.note ?? null);
      return { tool_id: tool.id, version, revision: tool.revision };
    },
    async answerAgain(scope, reference) {
      const tool = await requireTool(scope.db, projectOf(scope), reference);
      return { tool_id: tool.id, version: tool.publishedVersion ?? 0, revision: tool.revision };
    },
  }),
  operation({
    path: "/latest/tools/{tool_id}/versions",
    area: "tools",
    summary: "List the published versions of a tool, newest first",
    needs: "project editor",
    audit: null,
    refuses: ["tool_not_found"],
    input: z.object({ ...pageInput, tool_id: toolId }),
    output: pageOutput(versionRecord),
    example: { tool_id: "tol_us_…" },
    async run(scope, input) {
      // The cursor of this list is a version; any other text starts before the first.
      const before = input.after ? Number.parseInt(input.after, 10) || 0 : versionMax;
      const page = { before: Math.min(Math.max(before, 0), versionMax), limit: input.limit + 1 };
      const limit = rowsThatFit(await listVersionSizes(scope.db, input.tool_id, page), input.limit);
      const wanted = { ...page, limit: limit + 1 };
      const versions = await listVersions(scope.db, projectOf(scope), input.tool_id, wanted);
      return toPage(versions, limit, ({ version }) => String(version), toVersionRecord);
    },
  }),
  externalOperation({
    path: "/latest/tools/{tool_id}/restore",
    area: "tools",
    summary: "Restore a published version as the draft",
    description: "Runs use it only once that draft is published.",
    needs: "project editor",
    audit: "tool.restored",
    refuses: ["tool_not_found", "tool_version_not_found", "tool_changed", "compute_exhausted"],
    input: z.object({
      tool_id: toolId,
      version: z.int().min(1).max(versionMax).meta({ description: "Which, from `tools/{tool_id}/versions`" }),
      revision: revisionField,
    }),
    output: toolRecord,
    example: { tool_id: "tol_us_…", version: 1 },
    async run(scope, { tool_id: toolId, revision, version }, rooms) {
      const change = () => versionToRestore(scope, toolId, version);
      return toToolRecord(await saveDraft(scope, rooms.compute, { toolId, revision }, change, () => ({ version })));
    },
    answerAgain: async (scope, reference) => toToolRecord(await requireTool(scope.db, projectOf(scope), reference)),
  }),
];
