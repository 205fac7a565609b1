import * as z from "zod";
import { createProject, listProjects, type Project, requireProject, updateProject } from "../../access/projects.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { Problem } from "../../kernel/problem.ts";
import { descriptionField, idField, nameField, timeField } from "../shared-fields.ts";

const projectRecord = z.object({
  project_id: z.string(),
  organization_id: z.string(),
  name: z.string(),
  description: z.string(),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});
z.globalRegistry.add(projectRecord, { id: "Project" });
const projectWithRole = projectRecord.extend({ role: z.string() });
z.globalRegistry.add(projectWithRole, { id: "ProjectWithRole" });

const toRecord = (project: Project) => ({
  project_id: project.id,
  organization_id: project.organizationId,
  name: project.name,
  description: project.description,
  created_by: project.createdBy,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
});

/** "Deleting a project through the API is unavailable. The endpoint is in development." */
const unavailableDelete = <const P extends `/latest/${string}`>(path: P) =>
  operation({
    path,
    area: "projects",
    summary: "Reserved: deleting a project is in development",
    description: "Returns 501. A 404 would tell automation that the project is gone, and it is not.",
    needs: "account",
    audit: null,
    reserved: true,
    refuses: ["not_available"],
    input: z.object({}),
    output: z.object({}),
    example: {},
    run: async () => {
      throw new Problem("not_available");
    },
  });

export const projectOperations = [
  operation({
    path: "/latest/projects/create",
    area: "projects",
    summary: "Create a project in an organization",
    description: "The creator becomes its admin. The project part of the Authorization header is not used.",
    needs: "full key",
    audit: "project.created",
    countsAs: "write",
    refuses: ["organization_not_found", "owner_required", "wrong_region"],
    input: z.object({ name: nameField, description: descriptionField, organization_id: idField }),
    output: z.object({ project_id: z.string() }),
    example: { name: "Web shop", description: "The shop and its back office", organization_id: "org_us_…" },
    async run(scope, input) {
      const project = await createProject(scope, {
        name: input.name,
        description: input.description,
        organizationId: input.organization_id,
      });
      return { project_id: project.id };
    },
    auditOf: (input, output) => ({
      target: output.project_id,
      projectId: output.project_id,
      details: { name: input.name },
    }),
  }),
  operation({
    path: "/latest/projects/list",
    area: "projects",
    summary: "List the projects that the key reaches",
    description: "An organization's owner sees all of its projects.",
    needs: "account",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(projectWithRole),
    example: { limit: 20 },
    async run(scope, input) {
      const rows = await listProjects(scope, onePageOf(input));
      return toPage(
        rows,
        input.limit,
        (row) => row.id,
        (row) => ({ ...toRecord(row), role: row.role }),
      );
    },
  }),
  operation({
    path: "/latest/projects/get",
    area: "projects",
    summary: "Read a project",
    needs: "project viewer",
    projectInBody: true,
    audit: null,
    refuses: [],
    input: z.object({ project_id: idField.optional().meta({ description: "Instead of the one in the header" }) }),
    output: projectRecord,
    example: {},
    run: async (scope) => toRecord(await requireProject(scope)),
  }),
  operation({
    path: "/latest/projects/update",
    area: "projects",
    summary: "Change the name or description of a project",
    needs: "project admin",
    projectInBody: true,
    audit: "project.updated",
    countsAs: "write",
    refuses: [],
    input: z.object({
      project_id: idField.optional().meta({ description: "Instead of the one in the header" }),
      name: nameField.optional(),
      description: descriptionField.optional(),
    }),
    output: projectRecord,
    example: { name: "Web shop and app" },
    run: async (scope, input) => toRecord(await updateProject(scope, input)),
    auditOf: (input, output) => ({
      target: output.project_id,
      details: { name: input.name, description: input.description },
    }),
  }),
  unavailableDelete("/latest/projects/delete"),
  unavailableDelete("/latest/projects/{project_id}/delete"),
];
