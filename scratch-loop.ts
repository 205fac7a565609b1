import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHostileWorld } from "./test/attacks/support/hostile/world.ts";
import { stillnessOf } from "./test/attacks/support/hostile/pause.ts";
import { shapes, textOf } from "./test/attacks/support/hostile/values.ts";

const only = process.argv[2] ? new RegExp(process.argv[2]) : /./;
const onlyKind = process.argv[3] ? new RegExp(process.argv[3]) : /./;
const tries = Number(process.argv[4] ?? 4);
const home = mkdtempSync(join(tmpdir(), "loop-"));
const world = await openHostileWorld(home, process.env.PROF ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${process.env.PROF}` } : {});
const max = 4 * 1024 * 1024 - 4096;
const q = (unit: string, bytesEach: number) => JSON.stringify(textOf(unit, Math.floor(max / bytesEach)));
const weight = (item: string, n: number) => `[${Array(n).fill(item).join(",")}]`;
const kinds: Record<string, string> = {
  letters: q("a", 1),
  quotes: q('"', 2),
  tags: q("<a/>", 1),
  eyJ: q("eyJ-", 1),
  accents: q("é", 2),
  emoji: q("😀", 2.0),
  controls: q("\u0001", 6),
  halves: q("\ud800", 6),
  token: q("access_token=", 1),
  numbers: weight("1", 190_000),
  texts20: weight(`"${"x".repeat(18)}"`, 190_000),
  textsEscaped: weight(`"${"\\n".repeat(8)}é"`, 190_000),
  objects: weight('{"name":"abcdefghijklmnopqrstuvwxyz","value":1234567890}', 20_000),
  members: `{${Array.from({ length: 60_000 }, (_, i) => `"member_${i}":"${"y".repeat(40)}"`).join(",")}}`,
  mid: weight(`"${"z".repeat(60_000)}"`, 65),
};
const v = world.values as Record<string, string>;
const post = (path: string, body: (json: string) => string, headers = world.headers) => (json: string) => ({ method: "POST", path, headers, body: body(json) });
const scim = { "content-type": "application/scim+json", authorization: `Bearer ${world.scimToken}` };
const targets: Record<string, (json: string) => any> = {
  test_event: post(`/latest/agents/${v.agent_id}/test_event`, (j) => `{"type":"t","payload":{"a":${j}}}`),
  event: post(world.webhookPath, (j) => `{"type":"t","id":"${Math.random()}","payload":{"a":${j}}}`, { "content-type": "application/json" }),
  event_no_id: post(world.webhookPath, (j) => `{"type":"t","n":${Math.random()},"payload":{"a":${j}}}`, { "content-type": "application/json" }),
  trigger_async: post(`/latest/tools/${v.tool_id}/trigger_async`, (j) => `{"params":{"a":${j}}}`),
  trigger: post(`/latest/tools/${v.tool_id}/trigger`, (j) => `{"params":{"a":${j}}}`),
  tools_create: post(`/latest/tools/create`, (j) => `{"title":"T","steps":[{"name":"x","step":"wait","input":{"seconds":1}}],"description":${j}}`),
  tools_create_input: post(`/latest/tools/create`, (j) => `{"title":"T","steps":[{"name":"x","step":"transform","input":{"value":${j}}}]}`),
  tools_import: post(`/latest/tools/import`, (j) => `{"yaml":${j}}`),
  steps_run: post(`/latest/steps/deployment_api_call/run`, (j) => `{"connection_id":"${world.connections.deployment}","input":{"method":"PATCH","path":"/v9/projects/web","body":{"framework":${j}}}}`),
  steps_run_idem: (j) => ({ method: "POST", path: `/latest/steps/deployment_api_call/run`, headers: { ...world.headers, "idempotency-key": `k${Math.random()}` }, body: `{"connection_id":"${world.connections.deployment}","input":{"method":"PATCH","path":"/v9/projects/web","body":{"framework":${j}}}}` }),
  dry_run: post(`/latest/steps/deployment_api_call/run`, (j) => `{"dry_run":true,"connection_id":"${world.connections.deployment}","input":{"method":"PATCH","path":"/v9/projects/web","body":{"framework":${j}}}}`),
  agent_trigger: post(`/latest/agents/${v.agent_id}/trigger`, (j) => `{"message":"Hi","context":${j}}`),
  agent_message: post(`/latest/agents/${v.agent_id}/trigger`, (j) => `{"message":${j}}`),
  agents_create: post(`/latest/agents/create`, (j) => `{"name":"An agent","instructions":${j}}`),
  schedules_create: post(`/latest/schedules/create`, (j) => `{"tool_id":"${v.tool_id}","cron":"0 9 1 1 *","params":{"a":${j}}}`),
  scim_user: post(`/scim/v2/Users`, (j) => `{"userName":"u${Math.random()}@example.com","displayName":"D","another":${j}}`, scim),
  scim_name: post(`/scim/v2/Users`, (j) => `{"userName":"u${Math.random()}@example.com","displayName":${j}}`, scim),
  scim_members: post(`/scim/v2/Groups`, (j) => `{"displayName":"G${Math.random()}","members":${j}}`, scim),
};
const wanted = kinds;
await world.measure();
for (const [t, make] of Object.entries(targets)) {
  if (!only.test(t)) continue;
  const line: string[] = [];
  for (const [k, json] of Object.entries(wanted)) {
    if (!onlyKind.test(k)) continue;
    const got: number[] = [];
    let status = 0;
    for (let i = 0; i < tries; i++) {
      const r = make(json);
      const s = await stillnessOf(world, async () => { status = await world.send(r); });
      got.push(s.cpuMilliseconds);
    }
    line.push(`${k}:${Math.min(...got)}-${Math.max(...got)}(${status})`);
  }
  console.log(t.padEnd(20), line.join(" "));
}
await world.close();
rmSync(home, { recursive: true, force: true });
process.exit(0);
