import { expect, test } from "vitest";
import { describeOnBothStores, newStore, type StoreKind } from "../../test/support/stores.ts";
import type { RowSearch } from "./search-rows.ts";
import { searchRows } from "./search-rows.ts";

const rowCount = 1_500;
const idOf = (number: number): string => `evt_${String(number).padStart(5, "0")}`;

/** Events of two projects; one in a hundred has the type `rare`, and the oldest of each project is `oldest`. */
async function startSearch(kind: StoreKind) {
  const store = await newStore(kind);
  await store.transaction((db) =>
    db.query(
      `insert into events (id, organization_id, project_id, agent_id, type, system_type, body, status, run_ids, created_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < $1)
       select 'evt_' || substr('00000' || i, length('00000' || i) - 4), 'org', case when i % 2 = 0 then 'even' else 'odd' end,
              case when i > 1000 then 'new' else 'old' end,
              case when i <= 2 then 'oldest' when i % 100 = 0 then 'rare' else 'common' end, 'x', '{}', 'started', '[]', '2026'
         from n`,
      [rowCount],
    ),
  );
  const ofProject = "project_id = $1";
  const search = (type: string, order: RowSearch["order"] = "newest"): RowSearch => ({
    table: "events",
    columns: "id, type",
    indexed: [ofProject],
    where: `${ofProject} and type = $2`,
    values: ["even", type],
    order,
  });
  const find = (wanted: RowSearch, page: { after: string; limit: number }, rowsMax?: number) =>
    searchRows<{ id: string }>(store, wanted, page, rowsMax);
  return { search, find };
}

const ids = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

describeOnBothStores("rows that no index finds", (kind) => {
  test("are found in order, however far behind others, and a full page reads no further", async () => {
    const { search, find } = await startSearch(kind);
    const first = await find(search("rare"), { after: "", limit: 4 });
    expect(ids(first.rows)).toEqual([1500, 1400, 1300, 1200].map(idOf));
    expect(first.searchedTo).toBeNull();
    const second = await find(search("rare"), { after: idOf(1200), limit: 100 });
    expect(ids(second.rows)).toEqual([1100, 1000, 900, 800, 700, 600, 500, 400, 300, 200, 100].map(idOf));
    expect(ids((await find(search("oldest"), { after: "", limit: 1 })).rows)).toEqual([idOf(2)]);
    expect(ids((await find(search("rare", "oldest"), { after: idOf(100), limit: 2 })).rows)).toEqual(
      [200, 300].map(idOf),
    );
  });

  test("are sought among so many rows at most, and the next page goes on behind them", async () => {
    const { search, find } = await startSearch(kind);
    const first = await find(search("oldest"), { after: "", limit: 10 }, 300);
    expect(first).toEqual({ rows: [], searchedTo: idOf(902) });
    const second = await find(search("oldest"), { after: idOf(902), limit: 10 }, 300);
    expect(second).toEqual({ rows: [], searchedTo: idOf(302) });
    const third = await find(search("oldest"), { after: idOf(302), limit: 10 }, 300);
    expect([ids(third.rows), third.searchedTo]).toEqual([[idOf(2)], null]);
  });

  test("are sought in the index whose rows reach furthest", async () => {
    const { search, find } = await startSearch(kind);
    const { values, where, ...rest } = search("rare");
    const ofAgent = "agent_id = $3";
    const wanted: RowSearch = {
      ...rest,
      indexed: ["project_id = $1", ofAgent],
      where: `${where} and ${ofAgent}`,
      values: [...values, "old"],
    };
    // The newest 250 rows of the project belong to the other agent.
    const found = await find(wanted, { after: "", limit: 2 }, 100);
    expect(ids(found.rows)[0]).toBe(idOf(1000));
  });

  test("are read directly where the index gives nothing else", async () => {
    const { search, find } = await startSearch(kind);
    const all: RowSearch = { ...search("", "oldest"), where: "project_id = $1", values: ["odd"] };
    const found = await find(all, { after: idOf(3), limit: 2 });
    expect([ids(found.rows), found.searchedTo]).toEqual([[5, 7].map(idOf), null]);
  });
});
