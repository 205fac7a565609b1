import { operatorScope } from "../../src/access/operator.ts";
import { createLogs } from "../../src/kernel/log.ts";
import { createMeters } from "../../src/kernel/meter.ts";
import { createRunMemory } from "../../src/runs/queue/run-memory.ts";
import type { Worker } from "../../src/runs/worker/worker.ts";
import { keepCompiledCode } from "../../src/start/process/keep-compiled-code.ts";
import { openRegion } from "../../src/start/region/open-region.ts";
import { readConfig } from "../../src/start/settings/config.ts";
import { toolDefinition } from "../../src/tools/definition.ts";
import { createOutboundByUse } from "../../src/transport/outbound-by-use.ts";
import { createCompute } from "../../src/untrusted/compute.ts";
import { keyRingOf, masterKeyFrom } from "../../src/vault/sealing/key-ring.ts";
import { askedPath, askedTimes, serveJobs } from "../load/runs-job.ts";
import { newProject, publishedTool, startOf } from "./published-tool.ts";

/**
 * A region of ours as `serve` opens it, and a tool of three steps that is run again and again: policy, limits, token and
 * journal as always. Arguments: the data folder, the system's origin and, for PostgreSQL, the database.
 */

keepCompiledCode();
const [home = "", origin = "", database = ""] = process.argv.slice(2);
const now = () => new Date();
const config = readConfig(
  { SIGNALBOX_PRIVATE_HOSTS: origin, ...(database === "" ? {} : { SIGNALBOX_DATABASE_URL_US: database }) },
  { home, regions: "us" },
);
const logs = createLogs("warn", process.stderr);
const region = await openRegion(config, "us", {
  ring: keyRingOf(masterKeyFrom(Buffer.alloc(32, 7).toString("base64"))),
  outbounds: createOutboundByUse(config.privateHosts, null, logs.log),
  compute: createCompute(),
  runMemory: createRunMemory(),
  ...logs,
  now,
  meter: createMeters().ofRegion("us"),
});
region.begin();
const { store, rooms } = region.context;
// The region holds the whole worker there, of which its operations need less.
const worker = rooms.runs as Worker;

const project = await newProject(store);
const wish = { system: "deployment" as const, instance: origin, credentials: { token: "a-token-of-the-bench" } };
const verified = await rooms.vault.verify(project.id, wish as Parameters<typeof rooms.vault.verify>[1]);
const connectionId = await store.transaction((db) => rooms.vault.save(operatorScope(db, "us", now), project, verified));

const definition = toolDefinition.parse({
  title: "Three calls",
  params_schema: { type: "object" },
  steps: Array.from({ length: askedTimes }, (_, index) => ({
    name: `step_${index}`,
    step: "deployment_api_call",
    connection_id: connectionId,
    input: { method: "GET", path: askedPath },
  })),
  output: `{{steps.step_${askedTimes - 1}.output.status}}`,
});

const tool = await publishedTool(store, project, definition);

serveJobs(async ({ areWaitedFor = false }) => {
  const { left } = await worker.start(startOf(project, tool), { mayBeUnsaved: areWaitedFor });
  const end = (await left)?.end;
  if (end?.status !== "succeeded" || end.output !== 200) throw new Error(`A run left as ${JSON.stringify(end)}.`);
});
process.send?.({ result: "ready" });
