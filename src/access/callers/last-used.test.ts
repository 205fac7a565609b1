import { expect, test } from "vitest";
import { scimOf } from "../../../test/support/scim/scim.ts";
import { givePassword, signIn } from "../../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import type { Db } from "../../store/db.ts";
import { createLastUsed } from "./last-used.ts";

const at = (minute: number): number => Date.UTC(2040, 0, 1, 0, minute);
const textAt = (minute: number): string => new Date(at(minute)).toISOString();

/** A key, a session and a directory's token, and the stored time of each. */
async function oneOfEach(kind: StoreKind) {
  const team = await scimOf(await startTeam(kind));
  await givePassword(team, team.owner);
  await signIn(team, team.owner);
  const kept = async (): Promise<{ id: string; at: string | null }[]> => {
    const of = (table: string, column: string) =>
      team.store.query<{ id: string; at: string | null }>(`select id, ${column} as at from ${table} order by id`);
    const found = [
      await of("api_keys", "last_used_at"),
      await of("sessions", "last_seen_at"),
      await of("directory_tokens", "last_used_at"),
    ];
    return found.map(([first]) => first ?? { id: "", at: null });
  };
  return {
    store: team.store,
    ids: (await kept()).map(({ id }) => id),
    kept: async () => (await kept()).map((row) => row.at),
  };
}

describeOnBothStores("the time of last use", (kind) => {
  test("is stored for keys, sessions and directories' tokens, the newest of each", async () => {
    const { store, ids, kept } = await oneOfEach(kind);
    const lastUsed = createLastUsed(store);
    for (const id of ids) for (const minute of [1, 2]) lastUsed.record(id, at(minute));
    expect(await kept()).not.toContain(textAt(2));
    await lastUsed.flush();
    expect(await kept()).toEqual([textAt(2), textAt(2), textAt(2)]);
  });

  test("is not lost when the store fails: the next flush writes it, unless a newer time was recorded", async () => {
    const { store, ids, kept } = await oneOfEach(kind);
    const before = await kept();
    let whileWriting: (() => void) | null = null;
    const failsOnce: Db = {
      ...store,
      transaction: (work) =>
        store.transaction(async (tx) => {
          const value = await work(tx);
          if (whileWriting === null) return value;
          whileWriting();
          throw new Error("The disk is full.");
        }),
    };
    const lastUsed = createLastUsed(failsOnce);
    for (const id of ids) lastUsed.record(id, at(1));
    whileWriting = () => lastUsed.record(ids[0] ?? "", at(2));
    await expect(lastUsed.flush()).rejects.toThrow("The disk is full.");
    expect(await kept()).toEqual(before);
    whileWriting = null;
    await lastUsed.flush();
    expect(await kept()).toEqual([textAt(2), textAt(1), textAt(1)]);
  });

  test("never decreases, whichever node writes last", async () => {
    const { store, ids, kept } = await oneOfEach(kind);
    const [one, another] = [createLastUsed(store), createLastUsed(store)];
    for (const id of ids) {
      one.record(id, at(2));
      another.record(id, at(1));
    }
    await one.flush();
    await another.flush();
    expect(await kept()).toEqual([textAt(2), textAt(2), textAt(2)]);
  });
});
