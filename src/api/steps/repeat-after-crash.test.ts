import { expect, test } from "vitest";
import { startApp } from "../../../test/support/app.ts";
import { startPlatform } from "../../../test/support/platform.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import type { Store } from "../../store/db.ts";

// "One Idempotency-Key, one effect": a step that writes is one run, also if it failed before its write and its process died before it
// responded.
describeOnBothStores("a single step whose process died before its response was stored", (kind) => {
  test("is not run again by a repeat with its Idempotency-Key, which gets its result", async () => {
    const platform = await startPlatform(kind);
    const { app, owner, projectId, sandboxes, connections } = platform;
    const runs = () => app.store.query<{ id: string; status: string }>("select id, status from runs");
    const thawed = Promise.withResolvers<void>();
    const dying: Store = {
      ...app.store,
      async transaction(work) {
        if ((await runs()).length > 0) await thawed.promise;
        return app.store.transaction(work);
      },
    };
    const urls = Object.fromEntries(Object.entries(sandboxes).map(([system, { url }]) => [system, url]));
    const other = await startApp(kind, { sandboxes: urls as Record<keyof typeof sandboxes, string>, store: dying });
    cleanUpLater(async () => thawed.resolve());
    const path = "/v9/projects/web";
    await sandboxes.deployment.control("faults", { match: { method: "GET", path }, status: 404, times: 1 });
    const body = { connection_id: connections.deployment, input: { project: "web" } };
    const headers = { "idempotency-key": "once" };
    void other.call("steps/create_deployment/run", body, { as: owner, project: projectId, headers });
    await expect.poll(runs).toMatchObject([{ status: "failed" }]);
    const [first] = await runs();

    await app.store.transaction((db) =>
      db.query("update idempotent_answers set lease_until = '2020-01-01T00:00:00.000Z' where lease_until is not null"),
    );
    const repeat = await platform.call("steps/create_deployment/run", body, headers);
    expect(repeat.body).toMatchObject({ run_id: first?.id, status: "failed", problem: { code: "not_found_there" } });
    expect(await runs()).toHaveLength(1);
  });
});
