import * as z from "zod";
import { projectOf, type Scope } from "../../access/scope.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { shortErrors } from "../../kernel/problem.ts";
import { deleteSchedulesOfTool } from "../../schedules/schedules.ts";
import { rowsThatFit } from "../../store/page-rows.ts";
import { samples as shown } from "../../systems/samples.ts";
import { stepName, type ToolDefinition, toolMembers } from "../../tools/definition.ts";
import { parseDefinition } from "../../tools/definition-yaml.ts";
import { saveDraft, saveNewTool } from "../../tools/save-draft.ts";
import {
  deleteTool,
  examineIn,
  listToolSizes,
  listTools,
  renameStep,
  requireTool,
  type Tool,
} from "../../tools/tools.ts";
import { fieldErrors, revisionField, toolId, toolRecord, toToolRecord } from "./tool-response.ts";

const exampleTool = {
  title: "Redeploy a branch",
  params_schema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
  steps: [
    { name: "latest", step: shown.reading.step, connection_id: "con_us_…", input: shown.reading.input },
    {
      name: "again",
      step: shown.writing.step,
      connection_id: "con_us_…",
      if: shown.reading.isNotEmpty,
      input: { project: "web", branch: "{{params.branch}}" },
    },
  ],
  output: "{{steps.again.output}}",
};

/** Null removes a member; an omitted member stays. */
const changes = z.object({
  title: toolMembers.title.optional(),
  description: toolMembers.description.unwrap().nullish(),
  params_schema: toolMembers.params_schema
    .unwrap()
    .optional()
    .meta({ description: "JSON Schema of an object: what the tool is started with" }),
  steps: toolMembers.steps.optional(),
  output: z.unknown().optional().meta({ description: "What a run returns; null makes it the last step's output" }),
});

function changed(draft: ToolDefinition, input: z.output<typeof changes>): ToolDefinition {
  const given = Object.entries(input).filter(([name, value]) => name in changes.shape && value !== undefined);
  const merged = { ...draft, ...Object.fromEntries(given) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as unknown as ToolDefinition;
}

const readTool = async (scope: Scope, id: string) => toToolRecord(await requireTool(scope.db, projectOf(scope), id));

/** What the renaming of a step has done beside the new draft. */
interface Renamed {
  toolId: string;
  rewritten: number;
  warnings: ReturnType<typeof shortErrors>;
}

const toRenamed = (tool: Tool, { rewritten, warnings }: Renamed) => ({ ...toToolRecord(tool), rewritten, warnings });

export const toolOperations = [
  externalOperation({
    path: "/latest/tools/create",
    area: "tools",
    summary: "Create a tool",
    description:
      "A tool is an ordered list of steps that pass values to each other. The whole tool is validated before it is saved; `errors` points at every mistake. A tool that was never published runs its draft.",
    needs: "project editor",
    audit: "tool.created",
    refuses: ["compute_exhausted"],
    input: z.object(toolMembers),
    output: z.object({ tool_id: z.string().meta({ description: "Names the tool" }) }),
    example: exampleTool,
    async run(scope, input, { compute }) {
      const detailsOf = ({ definition: { title, steps } }: Tool) => ({ title, steps: steps.length });
      const { id } = await saveNewTool(scope, compute, input as ToolDefinition, detailsOf);
      return { tool_id: id };
    },
    answerAgain: async (_, reference) => ({ tool_id: reference }),
  }),
  operation({
    path: "/latest/tools/list",
    area: "tools",
    summary: "List the project's tools",
    needs: "project editor",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(toolRecord),
    example: {},
    async run(scope, input) {
      const sizes = await listToolSizes(scope.db, projectOf(scope), onePageOf(input));
      const limit = rowsThatFit(sizes, input.limit);
      const tools = await listTools(scope.db, projectOf(scope), onePageOf({ ...input, limit }));
      return toPage(tools, limit, (tool) => tool.id, toToolRecord);
    },
  }),
  operation({
    path: "/latest/tools/{tool_id}/get",
    area: "tools",
    summary: "Read one tool: its draft, and which version is published",
    needs: "project editor",
    audit: null,
    refuses: ["tool_not_found"],
    input: z.object({ tool_id: toolId }),
    output: toolRecord,
    example: { tool_id: "tol_us_…" },
    async run(scope, input) {
      return readTool(scope, input.tool_id);
    },
  }),
  externalOperation({
    path: "/latest/tools/{tool_id}/update",
    area: "tools",
    summary: "Change the draft of a tool",
    description:
      "Members that are left out stay as they are. The whole new draft is validated. Runs in progress keep the definition that they started with, and published versions never change.",
    needs: "project editor",
    audit: "tool.updated",
    refuses: ["tool_not_found", "tool_changed", "compute_exhausted"],
    input: changes.extend({ tool_id: toolId, revision: revisionField }),
    output: toolRecord,
    example: { tool_id: "tol_us_…", title: "Redeploy a branch", revision: 1 },
    async run(scope, input, rooms) {
      const basis = { toolId: input.tool_id, revision: input.revision };
      const detailsOf = ({ revision }: Tool) => ({
        changed: Object.keys(input).filter((name) => name in changes.shape),
        revision,
      });
      const change = (tool: Tool) => changed(tool.definition, input);
      return toToolRecord(await saveDraft(scope, rooms.compute, basis, change, detailsOf));
    },
    answerAgain: readTool,
  }),
  externalOperation({
    path: "/latest/tools/{tool_id}/rename_step",
    area: "tools",
    summary: "Rename a step of the draft, and every reference to it",
    needs: "project editor",
    audit: "tool.step_renamed",
    refuses: ["tool_not_found", "tool_changed", "compute_exhausted"],
    input: z.object({
      tool_id: toolId,
      from: z.string().min(1).max(64).meta({ description: "The name that the step has" }),
      to: stepName.meta({ description: "The name that it gets" }),
      revision: revisionField,
    }),
    output: toolRecord.extend({
      rewritten: z.int().meta({ description: "How many references were rewritten" }),
      warnings: fieldErrors.meta({ description: "Expressions whose references to steps cannot be determined" }),
    }),
    example: { tool_id: "tol_us_…", from: "latest", to: "newest" },
    async run(scope, { tool_id: toolId, revision, from, to }, rooms) {
      const on = { compute: rooms.compute, organizationId: scope.actor.organizationId };
      let renamed: Renamed = { toolId, rewritten: 0, warnings: [] };
      const change = async (tool: Tool) => {
        const { definition, rewritten, unsure } = await renameStep(tool.definition, from, to, on);
        const detail = `It may still name ${from}: look whether it does.`;
        const warnings = shortErrors(unsure.map((pointer) => ({ pointer, code: "open_expression", detail })));
        renamed = { toolId, rewritten, warnings };
        return definition;
      };
      const detailsOf = () => ({ from, to });
      const referenceOf = () => JSON.stringify(renamed);
      const basis = { toolId, revision };
      return toRenamed(await saveDraft(scope, rooms.compute, basis, change, detailsOf, referenceOf), renamed);
    },
    async answerAgain(scope, reference) {
      // An older node has named the tool alone.
      const isWhole = reference.startsWith("{");
      const renamed: Renamed = isWhole ? JSON.parse(reference) : { toolId: reference, rewritten: 0, warnings: [] };
      return toRenamed(await requireTool(scope.db, projectOf(scope), renamed.toolId), renamed);
    },
  }),
  operation({
    path: "/latest/tools/validate",
    area: "tools",
    summary: "Validate a tool without saving it",
    description: "Takes the same body as `tools/create`, and returns all mistakes at once.",
    needs: "project editor",
    audit: null,
    refuses: ["compute_exhausted"],
    input: z.object({
      title: z.unknown().optional().meta({ description: "Its name for people" }),
      description: z.unknown().optional(),
      params_schema: z
        .unknown()
        .optional()
        .meta({ description: "JSON Schema of an object: what the tool is started with" }),
      steps: z.unknown().optional().meta({ description: "The steps, in the order in which they run" }),
      output: z.unknown().optional().meta({ description: "What a run returns" }),
    }),
    output: z.object({
      valid: z.boolean().meta({ description: "Whether it could be saved" }),
      errors: fieldErrors.meta({ description: "Mistakes that prevent saving it" }),
      warnings: fieldErrors.meta({ description: "What is allowed but looks wrong" }),
    }),
    example: exampleTool,
    async run(scope, input, { compute }) {
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const read = parseDefinition(given);
      if ("errors" in read) return { valid: false, errors: shortErrors(read.errors), warnings: [] };
      const on = { compute, organizationId: scope.actor.organizationId };
      const { mistakes, warnings } = await examineIn(scope.db, projectOf(scope), read.definition, on);
      return { valid: mistakes.length === 0, errors: shortErrors(mistakes), warnings: shortErrors(warnings) };
    },
  }),
  operation({
    path: "/latest/tools/{tool_id}/delete",
    area: "tools",
    summary: "Delete a tool, and its schedules",
    description: "Its runs are kept, and those in progress continue.",
    needs: "project editor",
    audit: "tool.deleted",
    refuses: ["tool_not_found"],
    input: z.object({ tool_id: toolId }),
    output: z.object({
      tool_id: z.string().meta({ description: "The tool" }),
      deleted: z.literal(true),
      schedules_deleted: z.int(),
    }),
    example: { tool_id: "tol_us_…" },
    async run(scope, input) {
      await deleteTool(scope, input.tool_id);
      const schedules = await deleteSchedulesOfTool(scope.db, input.tool_id);
      return { tool_id: input.tool_id, deleted: true as const, schedules_deleted: schedules };
    },
    auditOf: (input, output) => ({
      target: input.tool_id,
      details: { schedules_deleted: output.schedules_deleted },
    }),
  }),
];
