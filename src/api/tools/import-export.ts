import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { Problem } from "../../kernel/problem.ts";
import { exportDefinition, importDefinition, refuseYaml } from "../../tools/definition-yaml.ts";
import { saveDraft, saveNewTool } from "../../tools/save-draft.ts";
import { definitionFor, requireTool, type Tool, unsound, versionMax } from "../../tools/tools.ts";
import { idField } from "../shared-fields.ts";
import { definitionBytesMax, revisionField, toolId, toolRecord, toToolRecord } from "./tool-response.ts";

const versionField = z
  .union([z.enum(["draft", "published"]), z.int().min(1).max(versionMax)])
  .optional()
  .meta({
    description: "`draft`, `published` or a number; default: the published version, or the draft if there is none",
  });

/** Far more than a tool has steps. */
const connectionsMax = 1000;

export const importExportOperations = [
  operation({
    path: "/latest/tools/{tool_id}/export",
    area: "tools",
    summary: "Read a tool as YAML",
    description: "Connections are named by their ids; `tools/import` can replace them by others.",
    needs: "project editor",
    audit: null,
    refuses: ["tool_not_found", "tool_version_not_found", "compute_exhausted"],
    input: z.object({ tool_id: toolId, version: versionField }),
    output: z.object({
      tool_id: z.string().meta({ description: "The tool" }),
      version: z.int().nullable().meta({ description: "Null for the draft" }),
      yaml: z.string(),
    }),
    example: { tool_id: "tol_us_…" },
    async run(scope, input, { compute }) {
      const tool = await requireTool(scope.db, projectOf(scope), input.tool_id);
      const { definition, version } = await definitionFor(scope.db, tool, input.version);
      const on = { compute, organizationId: scope.actor.organizationId };
      return { tool_id: tool.id, version, yaml: await exportDefinition(definition, on) };
    },
  }),
  externalOperation({
    path: "/latest/tools/import",
    area: "tools",
    summary: "Create a tool from YAML, or replace the draft of an existing one",
    description: "Takes the YAML of `tools/{tool_id}/export`, and restores exactly that definition.",
    needs: "project editor",
    audit: "tool.imported",
    bodyBytesMax: definitionBytesMax,
    refuses: ["tool_not_found", "tool_changed", "compute_exhausted"],
    input: z.object({
      yaml: z
        .string()
        .min(1)
        .max(256 * 1024),
      tool_id: idField.optional().meta({ description: "The tool whose draft it replaces; default: a new tool" }),
      revision: revisionField,
      connections: z
        .record(z.string(), idField)
        .refine((named) => Object.keys(named).length <= connectionsMax, `At most ${connectionsMax} connections.`)
        .meta({ maxProperties: connectionsMax })
        .default({})
        .meta({ description: "Connections of this project, by the ids in the text that they replace" }),
    }),
    output: toolRecord,
    example: {
      yaml: "title: Ask first\nsteps:\n  - name: asked\n    step: approve\n    input:\n      message: Shall it go out?\n",
    },
    async run(scope, input, { compute }) {
      const on = { compute, organizationId: scope.actor.organizationId };
      const definition = await importDefinition(input.yaml, input.connections, on);
      const basis = input.tool_id === undefined ? null : { toolId: input.tool_id, revision: input.revision };
      const kept = basis
        ? saveDraft(scope, compute, basis, () => definition, detailsOf)
        : saveNewTool(scope, compute, definition, detailsOf);
      return toToolRecord(
        await kept.catch((error) => {
          if (!(error instanceof Problem) || error.code !== "validation_failed") throw error;
          throw refuseYaml(unsound, error.extras.errors ?? []);
        }),
      );
    },
    answerAgain: async (scope, reference) => toToolRecord(await requireTool(scope.db, projectOf(scope), reference)),
  }),
];

const detailsOf = ({ definition, revision }: Tool) => ({ title: definition.title, revision });
