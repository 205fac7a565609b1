import { expect, test } from "vitest";
import { freshValues, validCall } from "../../test/support/calls/valid-calls.ts";
import { newAgent } from "../../test/support/runs/agents.ts";
import { describeOnBothStores, newStore, type StoreKind } from "../../test/support/stores.ts";
import { sandboxUrls, startSandbox } from "../../test/support/systems/vault.ts";
import { startTeam } from "../../test/support/team.ts";
import { operations } from "../api/index.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";

const changing = operations.filter(({ external, audit }) => external && audit !== null);

const auditRows = (store: Store) => store.query("select action from audit_log");

/** A team whose store is away for one transaction after one that has changed something. */
async function startLosing(kind: StoreKind, options: Parameters<typeof startTeam>[1] = {}) {
  const store = await newStore(kind);
  let rowsBefore = Number.POSITIVE_INFINITY;
  let isAway = false;
  const losing: Store = {
    ...store,
    async transaction(work) {
      if (isAway) {
        isAway = false;
        throw new StoreUnavailable("unreachable", new Error("The connection was lost."));
      }
      const result = await store.transaction(work);
      if ((await auditRows(store)).length > rowsBefore) {
        rowsBefore = Number.POSITIVE_INFINITY;
        isAway = true;
      }
      return result;
    },
  };
  const team = await startTeam(kind, { ...options, store: losing });
  return {
    team,
    /** Makes a call that loses the store after its change, and repeats it. */
    async callTwice(path: string, body: object) {
      const wish = { ...team.inProject(team.owner), headers: { "idempotency-key": path } };
      const rows = (await auditRows(store)).length;
      rowsBefore = rows;
      await team.call(path, body, wish);
      const hasChanged = rowsBefore !== rows;
      rowsBefore = Number.POSITIVE_INFINITY;
      isAway = false;
      const again = await team.call(path, body, wish);
      return { hasChanged, again, effects: (await auditRows(store)).length - rows };
    },
  };
}

/** The system refuses them here, and the store stays as it was. */
const unchanged = ["/latest/steps/{step_id}/run", "/latest/agents/{agent_id}/register_webhook"];

test("every operation that waits for other systems keeps its answer with its change, or names what it began", () => {
  const without = changing.filter((each) => !each.changesOnce && !each.answersWithChange && !each.answerAgain);
  expect(without.map(({ path }) => path)).toEqual([]);
});

// R2: "one effect for an `Idempotency-Key`." "The call returns 503, and its change may exist or not. A repeat with the same
// `Idempotency-Key` finds it."
describeOnBothStores("a call whose change was stored, and whose answer was not,", (kind) => {
  test("is found by a repeat, whatever the operation", async () => {
    const { team, callTwice } = await startLosing(kind);
    for (const operation of changing) {
      const { path, body } = validCall(operation, await freshValues(team, operation));
      const { hasChanged, again, effects } = await callTwice(path, body);
      expect([operation.path, hasChanged]).toEqual([operation.path, !unchanged.includes(operation.path)]);
      expect([operation.path, again.status, effects]).toEqual([operation.path, 200, hasChanged ? 1 : 0]);
      expect([operation.path, again.headers["idempotency-replayed"]]).toEqual([operation.path, "true"]);
    }
  });

  test("is found although another system took part", async () => {
    const { url, credentials } = await startSandbox("deployment");
    const { team, callTwice } = await startLosing(kind, { sandboxes: sandboxUrls({ deployment: url }) });
    const listed = async (path: string, body = {}) => (await team.call(path, body, team.inProject(team.owner))).body;
    const { token, team_id } = credentials;
    const wish = { system: "deployment", instance: "sandbox", credentials: { token, team_id } };
    const { again: connected } = await callTwice("connections/connect", wish);
    expect((await listed("connections/list")).results).toMatchObject([connected.body]);

    const { id } = await newAgent(team);
    const register = { ...connected.body, events: ["deployment.started"] };
    const { again: registered } = await callTwice(`agents/${id}/register_webhook`, register);
    const { connection_id, system_webhook_id, events } = registered.body;
    expect((await listed(`agents/${id}/webhook`)).registrations).toMatchObject([
      { connection_id, system_webhook_id, events },
    ]);
    expect(events).toEqual(["deployment.created"]);
  });
});
