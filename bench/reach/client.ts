import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Signalbox } from "signalbox/client";
import { spreadOf } from "../rounds/rounds.ts";
import { type Line, lineOf } from "../rounds/table.ts";
import { startSignalbox } from "../targets/signalbox-server.ts";

const pairs = 1_000;
const rounds = 9;
/** "At most 10 %" more time. */
const goal = 0.91;

/** "The client adds at most 10 % to a bare `fetch`": the same call one after the other, its response read as JSON. */
export async function measureClient(folder: string): Promise<Line[]> {
  const home = join(folder, "client");
  const server = await startSignalbox(home);
  try {
    const { regions } = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8"));
    const { api_key: apiKey, project_id: projectId } = regions.us as { api_key: string; project_id: string };
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const signalbox = new Signalbox({ baseUrl, apiKey, projectId });
    const headers = { "content-type": "application/json", authorization: `Bearer ${projectId}:${apiKey}` };
    const init = { method: "POST", headers, body: "{}" };
    const bare = async () => (await fetch(`${baseUrl}/latest/auth/info`, init)).json();
    await inPairs([() => signalbox.info(), bare]);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const [own, other] = await inPairs([() => signalbox.info(), bare]);
      ours.push(own);
      theirs.push(other);
    }
    return [lineOf("a call by the typed client", "µs", ours, { name: "a bare fetch", figures: theirs }, goal)];
  } finally {
    await server.stop();
  }
}

type Send = () => Promise<unknown>;

/** The usual time of each, in microseconds. Call by call in turn: whatever slows the machine falls on both. */
async function inPairs(both: [Send, Send]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    for (const which of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const startedAt = performance.now();
      await both[which]();
      times[which].push((performance.now() - startedAt) * 1000);
    }
  }
  return [spreadOf(times[0]).median, spreadOf(times[1]).median];
}
