import { expect, test } from "vitest";
import { batchByTurn } from "./batch-by-turn.ts";
import { nextTurn } from "./work-in-slices.ts";

// "Bound what one turn of the loop does."
test("at most 32 run in one turn of the event loop, all in order of arrival", async () => {
  let turn = 0;
  const gone: { item: number; turn: number }[] = [];
  const run = batchByTurn((item: number) => void gone.push({ item, turn }));
  for (let item = 0; item < 80; item++) run(item);
  while (gone.length < 82 && turn < 100) {
    await nextTurn();
    turn++;
    // A call that arrives while others wait runs after them.
    if (turn === 1) for (const item of [80, 81]) run(item);
  }
  expect(gone.map(({ item }) => item)).toEqual(Array.from({ length: 82 }, (_, item) => item));
  const inEachTurn = Map.groupBy(gone, (each) => each.turn);
  expect([...inEachTurn.values()].map((some) => some.length)).toEqual([32, 32, 18]);
});
