import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { insertDeliveries } from "../../test/support/webhooks/many-deliveries.ts";
import { createDeliveryTurns } from "./delivery-turns.ts";
import { createDispatcherCapacity, type Owner } from "./dispatcher-capacity.ts";

const at = "2026-11-18T00:00:00.000Z";
const now = "2026-11-18T01:00:00.000Z";
const later = "2026-11-18T02:00:00.000Z";

async function createWebhooks(team: Team, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const body = { url: `https://example.com/${number}`, events: ["run.failed"] };
    ids.push((await team.call("webhooks/create", body, team.inProject(team.owner))).body.webhook_id);
  }
  return ids;
}

/** Gives slots until no delivery has room, and returns who got them. The deliveries count as under way from then on. */
async function fill(team: Team, underWay: Owner[] = []): Promise<Owner[]> {
  const turns = createDeliveryTurns(team.store);
  const capacity = createDispatcherCapacity();
  const given: Owner[] = [];
  for (;;) {
    const slots = capacity.slots([...underWay, ...given]);
    const ids = (await turns.find(now, slots)).slice(0, slots.free);
    if (ids.length === 0) return given;
    for (const id of ids) {
      const [row] = await team.store.transaction((db) =>
        db.query<{ organization_id: string; webhook_id: string }>(
          "update deliveries set send_at = $2 where id = $1 returning organization_id, webhook_id",
          [id, later],
        ),
      );
      given.push({ organizationId: row?.organization_id ?? "", webhookId: row?.webhook_id ?? "" });
    }
  }
}

async function startQueue(kind: StoreKind) {
  const team = await startTeam(kind);
  const insert = (organizationId: string | null, webhookId: string, count: number, name: string, due = at) =>
    insertDeliveries(team.store, { organizationId, webhookId, count, status: "pending", at: due, name });
  return { team, insert };
}

const countsOf = (owners: readonly Owner[], key: keyof Owner): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(owners, (owner) => owner[key])].map(([id, all]) => [id, all.length]));

describeOnBothStores("due deliveries", (kind) => {
  test("of an organization with very many leave slots for each of the others, whose few are newer", async () => {
    const { team, insert } = await startQueue(kind);
    for (let number = 0; number < 8; number++) await insert("org_us_b", `whk_us_b${number}`, 100, `b${number}`);
    // Earlier and later in the order of turns.
    await insert("org_us_a", "whk_us_a", 2, "a", now);
    await insert("org_us_c", "whk_us_c", 1, "c", now);
    await insert("org_us_d", "whk_us_d", 1, "d", later);
    const counts = countsOf(await fill(team), "organizationId");
    expect(counts).toEqual({ org_us_a: 2, org_us_b: expect.any(Number), org_us_c: 1 });
    expect(counts.org_us_b).toBeGreaterThan(30);
  });

  test("of two organizations with very many get slots in turn", async () => {
    const { team, insert } = await startQueue(kind);
    for (let number = 0; number < 5; number++) {
      await insert("org_us_a", `whk_us_a${number}`, 100, `a${number}`);
      await insert("org_us_b", `whk_us_b${number}`, 100, `b${number}`, now);
    }
    // Together they want all slots. Each gets more than a third of them.
    const counts = countsOf(await fill(team), "organizationId");
    expect(Math.min(counts.org_us_a ?? 0, counts.org_us_b ?? 0)).toBeGreaterThan(16);
  });

  test("of a webhook with very many do not hide those of another webhook of the organization", async () => {
    const { team, insert } = await startQueue(kind);
    await insert("org_us_a", "whk_us_m", 300, "m");
    await insert("org_us_a", "whk_us_a", 1, "a", now);
    await insert("org_us_a", "whk_us_z", 1, "z", now);
    // More webhooks than one page has, all of which wait for a retry.
    for (let number = 100; number < 350; number++)
      await insert("org_us_a", `whk_us_n${number}`, 1, `n${number}`, later);
    expect(countsOf(await fill(team), "webhookId")).toEqual({ whk_us_a: 1, whk_us_m: 10, whk_us_z: 1 });
  });

  test("that the previous version has stored are found, few or many of them", async () => {
    const { team, insert } = await startQueue(kind);
    const [first = "", second = ""] = await createWebhooks(team, 2);
    const { organizationId } = team.owner;
    await insert(null, first, 3, "few");
    const slots = createDispatcherCapacity().slots([]);
    expect(await createDeliveryTurns(team.store).find(now, slots)).toHaveLength(3);
    await insert(null, first, 700, "many");
    await insert(null, "whk_us_deleted", 1, "gone");
    await insert(null, second, 1, "newer", now);
    const given = await fill(team);
    expect(countsOf(given, "webhookId")).toEqual({ [first]: 10, [second]: 1, whk_us_deleted: 1 });
    expect(countsOf(given, "organizationId")).toEqual({ [organizationId]: 11, none: 1 });
  });
});
