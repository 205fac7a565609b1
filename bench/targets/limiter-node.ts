import { Agent, request } from "node:http";
import { createLimits, type Limits } from "../../src/limits/limits.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { marketing } from "../../src/systems/marketing/system.ts";

/** One process of ours: so many callers who call as often as the limiter lets them. */
export interface NodeJob {
  url: string;
  token: string;
  callers: number;
  seconds: number;
}

export interface NodeResult {
  calls: number;
  /** Calls that were sent and did not succeed, by the system's code. */
  refused: Record<string, number>;
}

const path = "/rest/v1/stats/usage.json";
const [file = "", name = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const store = openSqlite(file);
await migrate(store, new Date());
const limits = createLimits({ store });

process.on("message", async (job: NodeJob) => {
  const until = Date.now() + job.seconds * 1000;
  const result: NodeResult = { calls: 0, refused: {} };
  await Promise.all(
    Array.from({ length: job.callers }, (_, index) => callUntil(limits, `${name}.${index}`, job, until, result)),
  );
  process.send?.({ result });
});
process.send?.({ result: "ready" });

async function callUntil(limits: Limits, id: string, job: NodeJob, until: number, result: NodeResult): Promise<void> {
  const asked = { method: "GET", api: "main", path, effect: "read", idempotent: true } as const;
  const demands = marketing.demands(asked, job.url, { settings: {}, identity: { label: "bench" }, signInMethod: "" });
  const caller = {
    id,
    organizationId: "org_bench",
    projectId: "prj_bench",
    connectionId: "con_bench",
    runId: "run_bench",
  };
  for (;;) {
    const permit = await limits.admit(demands, caller, new Date(until)).catch(() => null);
    if (!permit) return;
    const code = await call(job);
    await permit.settle([], "arrived");
    result.calls++;
    if (code !== null) result.refused[code] = (result.refused[code] ?? 0) + 1;
  }
}

function call({ url, token }: NodeJob): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer as AsyncIterable<Buffer>) parts.push(part);
      const body = JSON.parse(Buffer.concat(parts).toString()) as { errors?: { code: string }[] };
      resolve(body.errors?.[0]?.code ?? null);
    });
    sent.on("error", reject);
    sent.end();
  });
}
