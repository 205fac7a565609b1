import { readEmail } from "../../src/access/email.ts";
import { createAccountAsOperator, operatorScope } from "../../src/access/operator.ts";
import { newId } from "../../src/kernel/ids.ts";
import type { RunStart } from "../../src/runs/queue/start-run.ts";
import type { Store } from "../../src/store/db.ts";
import type { ToolDefinition } from "../../src/tools/definition.ts";
import { readDefinition } from "../../src/tools/stored-definition.ts";
import { insertTool, insertVersion } from "../../src/tools/tools.store.ts";

export interface BenchProject {
  id: string;
  organizationId: string;
  userId: string;
}

/** An organization, a person and a project, as an operator makes them. */
export async function newProject(store: Store, owner = "bench@example.com"): Promise<BenchProject> {
  const email = readEmail(owner);
  if (!email) throw new Error("An address of ours does not pass our own grammar.");
  const scope = operatorScope(store, "us", () => new Date());
  const { user, projectId } = await createAccountAsOperator(scope, { email, firstProject: "Bench" });
  return { id: projectId ?? "", organizationId: user.organizationId, userId: user.id };
}

/** A tool and its first version, as creating and publishing it leave them. */
export async function publishedTool(store: Store, project: BenchProject, definition: ToolDefinition) {
  const now = new Date().toISOString();
  const id = newId("tool", "us");
  await store.transaction(async (db) => {
    await insertTool(db, {
      id,
      organizationId: project.organizationId,
      projectId: project.id,
      definition,
      revision: 1,
      publishedVersion: 1,
      createdBy: project.userId,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
    await insertVersion(db, {
      toolId: id,
      version: 1,
      definition,
      note: null,
      createdBy: project.userId,
      createdAt: now,
    });
  });
  // As runs have it: read from the store, and the same value for all of them.
  return { id, version: 1, definition: readDefinition(JSON.stringify(definition)) };
}

/** How its owner starts a run of the tool. */
export const startOf = (
  project: BenchProject,
  tool: Awaited<ReturnType<typeof publishedTool>>,
  params: RunStart["params"] = {},
): RunStart => ({
  region: "us",
  organizationId: project.organizationId,
  projectId: project.id,
  work: { kind: "tool", ...tool },
  params,
  source: { kind: "call" },
  startedBy: project.userId,
  keyId: null,
  now: new Date(),
});
