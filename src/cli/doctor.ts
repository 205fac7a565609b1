import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { Command } from "commander";
import { type Config, portOf, readConfig } from "../config.ts";
import { pauseName } from "../http/pause-name.ts";
import type { Region } from "../kernel/regions.ts";
import { openStore, sqliteFile } from "../open-region.ts";
import { ping } from "../store/db.ts";

interface Finding {
  what: string;
  ok: boolean;
  detail: string;
  /** What to do where it is not well, or could be better. */
  remedy?: string;
}

export const doctorCommand = (): Command =>
  new Command("doctor")
    .description("Check settings, Node, stores and ports, and say what to mend; exit code 1 if something is wrong")
    .option("--home <folder>", "the data folder")
    .option("--port <port>", "first port")
    .option("--json", "print JSON")
    .action(async (flags: { home?: string; port?: string; json?: true }) => {
      const findings = await examine(readConfig(process.env, { home: flags.home, port: flags.port }));
      if (flags.json) console.log(JSON.stringify({ results: findings.map(shown) }));
      else for (const { ok, what, detail } of findings) console.log(`${ok ? "ok   " : "WRONG"} ${what}: ${detail}`);
      if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
    });

/** `what` is the older name of `check`. */
const shown = ({ what, ok, detail, remedy }: Finding) => ({ check: what, what, ok, detail, remedy: remedy ?? null });

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
  const pause = await worstPause(config);
  return pause ? [...findings, pause] : findings;
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

const askMilliseconds = 5_000;

/** Asks the running server, if there is one. The metrics say what held it up; for whom, its log says. */
async function worstPause(config: Config): Promise<Finding | null> {
  const what = "event loop";
  for (const region of config.regions) {
    const address = new URL("/metrics", addressOf(config, region));
    const answer = await fetch(address, { signal: AbortSignal.timeout(askMilliseconds) }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    if (!text.includes(pauseName)) continue;
    const worst = readWorst(text);
    if (!worst) return { what, ok: true, detail: "has not stood still since the server started" };
    const { seconds, operation, step, at } = worst;
    const during = step === "" ? operation : `${operation} ${step}`;
    return {
      what,
      ok: true,
      detail: `stood still for ${seconds.toFixed(2)} s at most, at ${at.toISOString()}, during ${during}`,
      remedy: "The log has a line «the event loop stood still» with the organization and the project.",
    };
  }
  return null;
}

const addressOf = ({ host, port }: Config, region: Region): string => {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${portOf(port, region)}`;
};

/** The two lines of the metrics that say it. */
function readWorst(text: string): { seconds: number; operation: string; step: string; at: Date } | null {
  const worst = new RegExp(`^${pauseName}_worst\\{operation="([^"]*)",step="([^"]*)"\\} (\\S+)$`, "m").exec(text);
  const at = new RegExp(`^${pauseName}_worst_at (\\S+)$`, "m").exec(text);
  if (!worst || !at) return null;
  const [, operation = "", step = "", seconds] = worst;
  return { seconds: Number(seconds), operation, step, at: new Date(Number(at[1]) * 1000) };
}
