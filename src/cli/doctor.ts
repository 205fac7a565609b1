import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { Command } from "commander";
import { type Config, portOf, readConfig } from "../config.ts";
import type { Region } from "../kernel/regions.ts";
import { openStore, sqliteFile } from "../open-region.ts";
import { ping } from "../store/db.ts";

interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

export const doctorCommand = (): Command =>
  new Command("doctor")
    .description("Check settings, Node, stores and ports, and say what to mend; exit code 1 if something is wrong")
    .option("--home <folder>", "the data folder")
    .option("--port <port>", "first port")
    .option("--json", "print JSON")
    .action(async (flags: { home?: string; port?: string; json?: true }) => {
      const findings = await examine(readConfig(process.env, { home: flags.home, port: flags.port }));
      if (flags.json) console.log(JSON.stringify({ results: findings }));
      else for (const { ok, what, detail } of findings) console.log(`${ok ? "ok   " : "WRONG"} ${what}: ${detail}`);
      if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
    });

async function examine(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [
    { what: "settings", ok: true, detail: "every SIGNALBOX_ variable can be used" },
    { what: "node", ok: Number(process.versions.node.split(".")[0]) >= 26, detail: `version ${process.versions.node}` },
    {
      what: "master key",
      ok: true,
      detail: config.masterKey
        ? "from SIGNALBOX_MASTER_KEY"
        : "not set: `signalbox serve` needs one, `npm start` keeps one in the data folder",
    },
  ];
  for (const region of config.regions) findings.push(await storeOf(config, region), await portFor(config, region));
  return findings;
}

async function storeOf(config: Config, region: Region): Promise<Finding> {
  const kind = config.databaseUrls[region] ? "PostgreSQL" : "SQLite";
  // Looking must not make anything.
  if (kind === "SQLite" && !existsSync(sqliteFile(config, region))) {
    return { what: `store ${region}`, ok: true, detail: "SQLite, made in the data folder at the first start" };
  }
  try {
    const store = await openStore(config, region);
    await ping(store);
    await store.close();
    return { what: `store ${region}`, ok: true, detail: `${kind} answers, schema up to date` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return {
      what: `store ${region}`,
      ok: false,
      detail: `${kind}: ${error instanceof Error ? error.message : error}${cause}`,
    };
  }
}

function portFor(config: Config, region: Region): Promise<Finding> {
  const port = portOf(config.port, region);
  const what = `port ${port}`;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () =>
      resolve({ what, ok: true, detail: `in use: a server is running there (region ${region})` }),
    );
    probe.listen(port, config.host, () =>
      probe.close(() => resolve({ what, ok: true, detail: `free for region ${region}` })),
    );
  });
}
