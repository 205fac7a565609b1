import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Signalbox } from "signalbox/client";
import { inRounds } from "../rounds.ts";
import { startSignalbox } from "../signalbox-server.ts";
import { type Line, lineOf } from "../table.ts";

const calls = 1_000;
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
    const both = [() => microseconds(() => signalbox.info()), () => microseconds(bare)];
    await inRounds(2, both);
    const [ours = [], theirs = []] = await inRounds(rounds, both);
    return [lineOf("a call by the typed client", "µs", ours, "a bare fetch", theirs, goal)];
  } finally {
    await server.stop();
  }
}

async function microseconds(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let made = 0; made < calls; made++) await call();
  return ((performance.now() - startedAt) * 1000) / calls;
}
