import { expect, test } from "vitest";
import { cleanUpLater } from "../../test/support/stores.ts";
import { type LoopPause, mark, watchLoop } from "./loop-watch.ts";

/** "A watchdog logs and counts every pause of the loop above 250 ms with the operation, tenant and step that caused it." */

function watch() {
  const pauses: LoopPause[] = [];
  const watching = watchLoop((pause) => void pauses.push(pause));
  cleanUpLater(async () => watching.stop());
  return { pauses, watching };
}

function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const anotherTurn = () => new Promise((resolve) => setTimeout(resolve, 60));

test("a pause is reported with the work that caused it, not with the work before or after", async () => {
  const { pauses, watching } = watch();
  mark("called", { operation: "tools/create", projectId: "prj_before" });
  mark("called", { operation: "tools/import", organizationId: "org_1", projectId: "prj_1", stepId: "step" });
  standStill(600);
  mark("called", { operation: "tools/create", projectId: "prj_after" });
  await anotherTurn();
  const [pause] = pauses.filter(({ work }) => work.projectId !== undefined);
  expect(pause?.work).toEqual({
    operation: "tools/import",
    organizationId: "org_1",
    projectId: "prj_1",
    stepId: "step",
  });
  expect(pause?.seconds).toBeGreaterThan(0.5);
  expect(pause?.share).toBeGreaterThan(0.5);
  expect(watching.worst()?.seconds).toBeGreaterThanOrEqual(pause?.seconds ?? 0);
});

test("waiting is not a pause, however old the last mark is", async () => {
  const { pauses } = watch();
  mark("called", { operation: "waits" });
  for (let i = 0; i < 8; i++) await anotherTurn();
  // Where the machine gives this process no time, the loop does stand still, with nothing computed meanwhile.
  const computed = ({ cpuSeconds }: LoopPause) => cpuSeconds > 0.2;
  expect(pauses.filter((pause) => pause.work.operation === "waits" && computed(pause))).toEqual([]);
});

test("a pause of unmarked work is reported as such", async () => {
  const { pauses } = watch();
  await anotherTurn();
  standStill(600);
  await anotherTurn();
  expect(pauses.some(({ doing, seconds }) => doing === "unmarked work" && seconds > 0.5)).toBe(true);
});

test("the worst stays, with its time", async () => {
  const { watching } = watch();
  standStill(900);
  await anotherTurn();
  const worst = watching.worst();
  expect(worst?.seconds).toBeGreaterThan(0.8);
  standStill(300);
  await anotherTurn();
  expect(watching.worst()?.seconds).toBeGreaterThanOrEqual(worst?.seconds ?? 0);
  expect(worst?.at).toBeInstanceOf(Date);
});
