import { join } from "node:path";
import { type Child, startChild } from "./load/child.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import type { NodeJob, NodeResult } from "./targets/limiter-node.ts";

const windowSeconds = 20;
const callsMax = 100;
const windows = 3;
/** A little more than three windows, to see when the first call of the fourth arrives. */
const seconds = windows * windowSeconds + 4;
const callersPerNode = 24;
const goal = 0.97;

interface Seen {
  requests: { at: string; path: string; status: number }[];
}

/**
 * The marketing sandbox at saturation, its limits as they are: by its own log, how much of what it allows was used, and
 * whether any window held more.
 */
export async function saturateMarketing(folder: string): Promise<Line[]> {
  const lines: Line[] = [];
  for (const nodes of [1, 4]) lines.push(await saturate(folder, nodes));
  return lines;
}

async function saturate(folder: string, count: number): Promise<Line> {
  const sandbox = startChild("server", new URL("./targets/limiter-sandbox.ts", import.meta.url));
  const url = String(await sandbox.ready);
  const token = await tokenOf(url);
  const file = join(folder, `limiter-${count}.sqlite`);
  const module = new URL("./targets/limiter-node.ts", import.meta.url);
  const nodes: Child[] = Array.from({ length: count }, (_, index) => startChild("load", module, [file, String(index)]));
  await Promise.all(nodes.map((node) => node.ready));
  const job: NodeJob = { url, token, callers: callersPerNode, seconds };
  const results = await Promise.all(nodes.map((node) => node.ask<NodeJob, NodeResult>(job)));
  const seen = (await (await fetch(`${url}/_sandbox/requests`)).json()) as Seen;
  await Promise.all([...nodes, sandbox].map((child) => child.stop()));
  return lineFor(count, seen, results);
}

function lineFor(count: number, { requests }: Seen, results: NodeResult[]): Line {
  const arrivals = requests.filter(({ path }) => path.startsWith("/rest/")).map(({ at }) => Date.parse(at));
  const refused = Object.assign({}, ...results.map((result) => result.refused)) as Record<string, number>;
  const most = mostInWindow(arrivals);
  const [first = 0, next = Number.POSITIVE_INFINITY] = [arrivals[0], arrivals[callsMax * windows]];
  const inTime = arrivals.filter((at) => at < first + windows * windowSeconds * 1000).length;
  const perSecond = (callsMax * windows * 1000) / (next - first);
  const who = count === 1 ? "one process" : `${count} processes`;
  console.log(
    `limiter, ${who}: ${inTime} of ${callsMax * windows} calls in ${windows * windowSeconds} s, at most ${most} in any ${windowSeconds} s, refused ${JSON.stringify(refused)}, calls of each ${results.map(({ calls }) => calls).join(" ")}`,
  );
  const line = lineOf(
    `calls at saturation, ${who}`,
    "/s",
    [perSecond],
    { name: "what is allowed", figures: [callsMax / windowSeconds] },
    goal,
  );
  const isKept = most <= callsMax && Object.keys(refused).length === 0;
  return { ...line, goal: `${line.goal}, never above 1`, met: line.met === true && isKept };
}

/** Windows that end with a call are the fullest. */
function mostInWindow(arrivals: readonly number[]): number {
  const sorted = arrivals.toSorted((one, other) => one - other);
  let oldest = 0;
  let most = 0;
  for (const [index, at] of sorted.entries()) {
    while ((sorted[oldest] ?? at) <= at - windowSeconds * 1000) oldest++;
    most = Math.max(most, index - oldest + 1);
  }
  return most;
}

async function tokenOf(url: string): Promise<string> {
  const { credentials } = (await (await fetch(`${url}/_sandbox`)).json()) as {
    credentials: { client_id: string; client_secret: string };
  };
  const query = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: credentials.client_id,
    client_secret: credentials.client_secret,
  });
  const answer = (await (await fetch(`${url}/identity/oauth/token?${query}`)).json()) as { access_token: string };
  return answer.access_token;
}
