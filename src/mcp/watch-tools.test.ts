import { expect, test } from "vitest";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import type { LiveStream } from "../webhooks/live/live-stream.ts";
import type { Caller } from "./caller.ts";
import { watchTools } from "./watch-tools.ts";

const events: unknown[] = [];
const caller = { projectId: "prj_us_1", userId: "usr_us_1" } as Caller;

/** What happens if the project's stream of changes cannot be opened. */
async function afterFailedOpening(error: Error): Promise<unknown[]> {
  events.length = 0;
  const live = { open: (): Promise<LiveStream> => Promise.reject(error) };
  const log = { warn: ({ err }: { err: Error }) => void events.push(err.message) };
  const context = { log, rooms: { webhooks: { live } } } as unknown as RegionContext;
  watchTools(caller, context, () => void events.push("ended")).subscribe(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  return events;
}

test("an assistant whose notifications end because of a failure is logged, one that is refused is not", async () => {
  expect(await afterFailedOpening(new Error("the store is away"))).toEqual(["the store is away", "ended"]);
  expect(await afterFailedOpening(new Problem("too_many_streams"))).toEqual(["ended"]);
});
