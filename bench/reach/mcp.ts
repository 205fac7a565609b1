import { join } from "node:path";
import type { CallToMake } from "../load/requests.ts";
import type { Plan } from "../rounds/compare.ts";
import { byRateAndCpu } from "../rounds/measured-lines.ts";
import { inRounds } from "../rounds/rounds.ts";
import { type Line, lineOf } from "../rounds/table.ts";
import { measuredInput } from "../steps.ts";
import { startConnected, startUpstream } from "../targets/connected.ts";
import { type Loaded, startLoad, warmUp } from "../targets/target.ts";

const revision = "2026-07-28";
const listGoalMilliseconds = 20;
/** "A tool call by MCP within 20 % of the HTTP operation." */
const callGoal = 1 / 1.2;

/** "MCP `tools/list` under 20 ms; a tool call by MCP within 20 % of the HTTP operation", which does the same. */
export async function measureMcp(folder: string, plan: Plan): Promise<Line[]> {
  const upstream = await startUpstream();
  const { signalbox, callWith } = await startConnected(join(folder, "mcp"), upstream);
  const http = callWith(measuredInput);
  const loaded: Loaded[] = [
    {
      target: signalbox,
      calls: [toMcp(http, "tools/call", { name: "deployment_api_call", arguments: measuredInput })],
    },
    { target: signalbox, calls: [http] },
  ];
  const load = await startLoad();
  const one = await startLoad(1);
  try {
    for (const each of loaded) await warmUp(load, each);
    const [byMcp = [], byHttp = []] = await inRounds(
      plan.rounds,
      loaded.map((each) => () => load.measure(each, plan.seconds)),
      (round) => console.log(`MCP: round ${round + 1} of ${plan.rounds}`),
    );
    const list: Loaded = { target: signalbox, calls: [toMcp(http, "tools/list", {})] };
    await warmUp(one, list);
    const lists = [];
    for (let round = 0; round < plan.rounds; round++) lists.push((await one.measure(list, plan.seconds)).latency);
    return [
      ...byRateAndCpu("an API Call step by MCP", byMcp, "the HTTP operation", byHttp, {
        rate: callGoal,
        cpu: callGoal,
      }),
      lineOf(
        "MCP tools/list, half of the calls",
        "ms",
        lists.map(({ p50Milliseconds }) => p50Milliseconds),
        { name: `${listGoalMilliseconds} ms`, figures: lists.map(() => listGoalMilliseconds) },
        1,
      ),
    ];
  } finally {
    await Promise.all([load, one, upstream, signalbox].map((each) => each.stop()));
  }
}

/** The same caller's request in the newest revision of the protocol. */
function toMcp({ headers, body }: CallToMake, method: string, params: Record<string, unknown>): CallToMake {
  const { connection_id } = body as { connection_id: string };
  const call = "name" in params ? { ...params, arguments: { ...(params.arguments as object), connection_id } } : params;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    path: "/mcp",
    headers: {
      ...headers,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": method,
      ...("name" in params ? { "mcp-name": String(params.name) } : {}),
    },
    body: { jsonrpc: "2.0", id: 1, method, params: { ...call, _meta } },
  };
}
