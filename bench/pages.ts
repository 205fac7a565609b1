import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answerTo } from "./calls.ts";
import { untilIdle } from "./load/cores.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { measuredInput } from "./steps.ts";
import { type Connected, startConnected, startUpstream } from "./targets/connected.ts";

const itemsWanted = 1_000_000;
const allowedMegabytes = 80;
/** A server releases memory after a minute of rest. */
const restSeconds = 75;

interface Output {
  output: { items: unknown[]; next: string | null };
}

/** A million items in as many calls as the caps of `all_pages` ask for, each going on where the one before stopped. */
export async function readAllPages(folder: string): Promise<Line[]> {
  const upstream = await startUpstream();
  const connected = await startConnected(join(folder, "pages"), upstream);
  const { signalbox } = connected;
  try {
    await answerTo(connected.callWith(measuredInput), signalbox.port);
    const atRest = await restingMegabytes(signalbox.pid);
    const { calls, seconds, most } = await readEverything(connected);
    const after = await restingMegabytes(signalbox.pid);
    console.log(
      `pages: ${itemsWanted.toLocaleString("en-US")} items in ${calls} calls, ${Math.round(itemsWanted / seconds).toLocaleString("en-US")} a second; memory ${atRest} MB at rest, at most ${most} MB meanwhile, ${after} MB at rest again.`,
    );
    const above = Math.max(1, after - atRest);
    return [
      lineOf(
        "a million items, memory above rest",
        "MB",
        [above],
        { name: "what is allowed", figures: [allowedMegabytes] },
        1,
      ),
    ];
  } finally {
    await Promise.all([signalbox.stop(), upstream.stop()]);
  }
}

async function readEverything({ signalbox, callWith }: Connected) {
  const startedAt = performance.now();
  let [items, calls, most] = [0, 0, 0];
  let after: string | null = null;
  const watching = setInterval(() => {
    most = Math.max(most, megabytesOf(signalbox.pid));
  }, 100);
  do {
    const input = { method: "GET", path: "/v6/deployments", all_pages: true, max_items: 100_000 };
    const call = callWith(after === null ? input : { ...input, after });
    const { output } = JSON.parse(await answerTo(call, signalbox.port)) as Output;
    items += output.items.length;
    after = output.next;
    calls++;
  } while (after !== null);
  clearInterval(watching);
  if (items !== itemsWanted) throw new Error(`${items} items were read, and ${itemsWanted} are there.`);
  return { calls, seconds: (performance.now() - startedAt) / 1000, most };
}

async function restingMegabytes(pid: number): Promise<number> {
  await untilIdle(pid);
  await new Promise((resolve) => setTimeout(resolve, restSeconds * 1000));
  return megabytesOf(pid);
}

export function megabytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
