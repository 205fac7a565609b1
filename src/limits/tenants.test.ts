import { expect, test } from "vitest";
import { startApp, type TestPerson } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  ask,
  callerOf,
  daily,
  failureOf,
  node,
  open,
  subject,
  use,
  viewerOf,
} from "../../test/support/systems/limit-calls.ts";
import { knownMigrations, migrate } from "../store/migrate.ts";
import type { Demand } from "../systems/define.ts";

/** "Every limit, budget and cache is keyed by tenant or account." */
describeOnBothStores("limits of several organizations", (kind) => {
  const of = (organization: string) => callerOf(organization, `prj_${organization}`, organization);

  test("are counted separately, though their accounts are at the same instance", async () => {
    const world = await open(kind);
    const limits = node(world);
    await use(world, limits, [daily(3)], 3);
    expect(failureOf(await ask(world, limits, [daily(3)], 0))).toMatchObject({ code: "quota_exhausted" });
    expect((await ask(world, limits, [daily(3)], 0, of("other"))).permit).toBeDefined();
    const [shown] = await limits.states([daily(3)], viewerOf("prj_other", "other"));
    expect(shown).toMatchObject({ subject, name: "daily", used: 1, left: 2 });
  });

  test("a refusal of the system pauses the organization that was refused, and no other", async () => {
    const world = await open(kind);
    const [one, other] = [node(world), node(world)];
    const { permit } = await ask(world, one, [daily(100)], 0);
    const resetsAt = new Date(world.now() + 60_000);
    await permit?.settle([{ subject, name: "daily", remaining: 0, resetsAt }], "arrived");
    expect(failureOf(await ask(world, other, [daily(100)], 0))).toMatchObject({ code: "quota_exhausted" });
    expect((await ask(world, other, [daily(100)], 0, of("other"))).permit).toBeDefined();
  });

  test("a connection that the system never accepted is shown no limit there", async () => {
    const world = await open(kind);
    const limits = node(world);
    const ofProperty: Demand = { ...daily(3), onceAuthorized: true };
    await use(world, limits, [ofProperty], 1);
    const { permit } = await ask(world, limits, [ofProperty], 0, callerOf("b", "prj_2"));
    await permit?.settle([], "never sent");
    expect(await limits.ofProject(viewerOf("prj_2"))).toEqual([]);
    expect(await limits.ofProject(viewerOf("prj_1"))).toHaveLength(1);
    expect(await limits.states([ofProperty], viewerOf("prj_2"))).toMatchObject([{ used: 0 }]);
    expect(await limits.states([ofProperty], viewerOf("prj_1"))).toMatchObject([{ used: 1 }]);
  });
});

/** "One organization may not use more than a share while others want some." */
describeOnBothStores("a limit that all organizations share", (kind) => {
  const window = { kind: "window", max: 40, amount: 1, windowSeconds: 60 } as const;
  const shared: Demand = { subject: "analytics|https://one|client", name: "of the client", ...window, shared: true };
  const of = (organization: string) => callerOf(organization, `prj_${organization}`, organization);

  async function takeAll(world: Awaited<ReturnType<typeof open>>, limits: ReturnType<typeof node>, who: string) {
    for (let taken = 0; ; taken++) {
      const { permit } = await ask(world, limits, [shared], 0, of(who));
      if (!permit) return taken;
      await permit.settle([], "arrived");
    }
  }

  test("gives each at most half of what the others leave, so that the next organization finds some", async () => {
    const world = await open(kind);
    const [one, other] = [node(world), node(world)];
    expect(await takeAll(world, one, "a")).toBe(20);
    expect(await takeAll(world, other, "b")).toBe(10);
    expect(await takeAll(world, one, "c")).toBe(5);
    await world.advance(61_000);
    expect(await takeAll(world, one, "c")).toBe(20);
  });

  test("shows each organization its own usage, and nothing of the others", async () => {
    const world = await open(kind);
    const limits = node(world);
    await takeAll(world, limits, "a");
    const { permit } = await ask(world, limits, [shared], 0, of("b"));
    await permit?.settle([], "arrived");
    const mine = {
      subject: shared.subject,
      name: shared.name,
      max: 20,
      used: 1,
      left: 19,
      waiting: [],
      waiting_others: 0,
    };
    expect(await limits.states([shared], viewerOf("prj_b", "b"))).toMatchObject([mine]);
    expect(await limits.ofProject(viewerOf("prj_b", "b"))).toMatchObject([{ ...mine, connectionId: "con_prj_b" }]);
  });

  test("pauses all organizations only if the system says that it is this one", async () => {
    const world = await open(kind);
    const limits = node(world);
    const resetsAt = new Date(world.now() + 30_000);
    const first = await ask(world, limits, [shared], 0, of("a"));
    await first.permit?.settle([{ subject: shared.subject, name: "another", remaining: 0, resetsAt }], "arrived");
    const second = await ask(world, limits, [shared], 0, of("b"));
    expect(second.permit).toBeDefined();
    const said = { subject: shared.subject, name: shared.name, remaining: 0, resetsAt, shared: true } as const;
    await second.permit?.settle([said], "arrived");
    expect(failureOf(await ask(world, limits, [shared], 0, of("c")))).toMatchObject({ code: "rate_limited" });
  });

  test("keeps no part for organizations that no longer call", async () => {
    const world = await open(kind);
    const limits = node(world);
    for (const who of ["a", "b", "c"])
      await (await ask(world, limits, [shared], 0, of(who))).permit?.settle([], "arrived");
    await world.advance(61_000);
    await (await ask(world, limits, [shared], 0, of("d"))).permit?.settle([], "arrived");
    const [row] = await world.store.query<{ state: string }>("select state from limit_states");
    expect(row?.state).not.toMatch(/\|[abc]"/);
  });
});

describeOnBothStores("an upgrade to limits of each organization", (kind) => {
  test("keeps what one organization has counted, and drops what several have", async () => {
    const app = await startApp(kind);
    const change = (sql: string, values: string[] = []) => app.store.transaction((db) => db.query(sql, values));
    const [one, other] = [await app.person("one@example.com"), await app.person("two@example.org")];
    const connect = async (id: string, person: TestPerson) => {
      const project = await app.project(person, id);
      await change(
        `insert into connections (id, organization_id, project_id, system, instance, addresses, label, state, identity, scopes,
            way_in, settings, token_generation, lease_fence, revision, created_at, updated_at, granted_at)
         values ($1, $2, $3, 'marketing', 'live', '{}', '', 'connected', '{}', '[]', '', '{}', 1, 0, 1, '', '', '')`,
        [id, person.organizationId, project],
      );
    };
    for (const [id, person] of [
      ["con_1", one],
      ["con_2", one],
      ["con_3", other],
    ] as const)
      await connect(id, person);
    for (const name of ["alone", "together"]) {
      await change("insert into limit_states (subject, state, low) values ($1, $2, 0)", [`marketing|${name}`, name]);
    }
    const uses = ["con_1 alone", "con_2 alone", "con_1 together", "con_3 together"].map((use) => use.split(" "));
    for (const [connection = "", name = ""] of uses) {
      const values = [connection, `marketing|${name}`];
      await change("insert into limit_uses (project_id, connection_id, subject) values ('prj', $1, $2)", values);
    }
    const upgrade = knownMigrations().filter(({ name }) => name.endsWith("_limits_by_organization.sql"));
    expect(upgrade).toHaveLength(1);
    // A store without that migration and the later ones.
    const first = upgrade[0]?.number ?? 0;
    for (const table of ["schema_migrations", "schema_promises"])
      await change(`delete from ${table} where number >= $1`, [String(first)]);
    await migrate(app.store, new Date(), upgrade);
    const alone = `${one.organizationId}|marketing|alone`;
    expect(await app.store.query("select subject, state from limit_states")).toEqual([
      { subject: alone, state: "alone" },
    ]);
    expect(await app.store.query("select connection_id, subject from limit_uses order by connection_id")).toEqual([
      { connection_id: "con_1", subject: alone },
      { connection_id: "con_2", subject: alone },
    ]);
  });
});
