import { expect, test } from "vitest";
import { startApp, type TestPerson } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { listDueForCheck } from "./connections.ts";

describeOnBothStores("connections that are due for a check", (kind) => {
  test("a thousand of one organization do not delay the check of another's", async () => {
    const app = await startApp(kind);
    const [many, few] = [await app.person("many@example.com"), await app.person("few@example.org")];
    const connect = async (person: TestPerson, ids: string[], dueAt: string) => {
      const project = await app.project(person, "A project");
      await app.store.transaction(async (db) => {
        for (const id of ids) {
          await db.query(
            `insert into connections (id, organization_id, project_id, system, instance, addresses, label, state, identity,
                scopes, way_in, settings, token_generation, lease_fence, revision, created_at, updated_at, granted_at,
                next_check_at)
             values ($1, $2, $3, 'marketing', 'live', '{}', '', 'connected', '{}', '[]', '', '{}', 1, 0, 1, '', '', '', $4)`,
            [id, person.organizationId, project, dueAt],
          );
        }
      });
    };
    const ids = Array.from({ length: 1000 }, (_, index) => `con_${index}`);
    await connect(many, ids, "2030-01-01T00:00:00.000Z");
    await connect(few, ["con_few"], "2030-01-02T00:00:00.000Z");
    const due = await listDueForCheck(app.store, "2030-01-03T00:00:00.000Z", 20, 200);
    expect(due.map(({ id }) => id)).toContain("con_few");
    expect(due).toHaveLength(21);
  });
});
