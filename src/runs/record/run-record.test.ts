import { expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam, type Team } from "../../../test/support/team.ts";
import { requirePlannedRun } from "../queue/queue.ts";
import { queueRun } from "../queue/start-run.ts";

const plan = { agentId: "agt_us_1", name: "Asks", conversationId: "cnv_us_1", abilities: [] };

const queueAgent = (team: Team) =>
  team.store.transaction((db) =>
    queueRun(db, {
      region: "us",
      organizationId: team.owner.organizationId,
      projectId: team.projectId,
      work: { kind: "agent", id: plan.agentId, conversationId: plan.conversationId, plan },
      params: { message: "Ask" },
      source: { kind: "call" },
      startedBy: team.owner.userId,
      keyId: null,
      now: team.now(),
    }),
  );

// During an upgrade, nodes of two versions work on one store.
describeOnBothStores("the row of an agent's run", (kind) => {
  test("is read from earlier versions", async () => {
    const team = await startTeam(kind);
    const id = await queueAgent(team);
    const earlier = { title: "Asks", params_schema: { type: "object" }, steps: [], agent: plan };
    await team.store.transaction((db) =>
      db.query("update runs set definition = $2 where id = $1", [id, JSON.stringify(earlier)]),
    );
    const { work } = await requirePlannedRun(team.store, team.projectId, id);
    expect(work).toEqual({ kind: "agent", id: "agt_us_1", conversationId: "cnv_us_1", plan });
  });

  test("can be read by earlier versions: it has their kind, with the plan inside the definition", async () => {
    const team = await startTeam(kind);
    const id = await queueAgent(team);
    const [row] = await team.store.query<{
      kind: string;
      definition: string;
      agent_id: string;
      conversation_id: string;
    }>("select kind, definition, agent_id, conversation_id from runs where id = $1", [id]);
    expect(row).toMatchObject({ kind: "tool", agent_id: "agt_us_1", conversation_id: "cnv_us_1" });
    expect(JSON.parse(row?.definition ?? "")).toEqual({ agent: plan });
  });
});
