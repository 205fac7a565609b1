import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium } from "../../test/support/browser/find-chromium.ts";
import { answerTo } from "../calls.ts";
import { startSignalbox } from "./signalbox-server.ts";

/** A server with its sandboxes and 10,000 runs, and a person who is signed in to its console. */
export interface ConsoleSite {
  /** Of the project, with all its pages below it. */
  home: string;
  /** A page with an empty cache, on a processor that is slowed down by this factor, and so many pixels wide. */
  open(slowdown?: number, width?: number): Promise<Page>;
  stop(): Promise<void>;
}

export async function startConsoleSite(folder: string): Promise<ConsoleSite> {
  const program = findChromium();
  if (!program) throw new Error("There is no Chromium on this machine: install Debian's package chromium.");
  const data = join(folder, "console");
  const server = await startSignalbox(data, [], { SIGNALBOX_SANDBOXES: "own" });
  const us = (JSON.parse(readFileSync(join(data, "first-run.json"), "utf8")) as FirstRun).regions.us;
  await addRuns(data, us, server.port);
  const site = `http://localhost:${server.port}`;
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
  const signedIn = await browser.newContext();
  await signIn(signedIn, site, us);
  const storageState = await signedIn.storageState();
  await signedIn.close();
  return {
    home: `${site}/projects/${us.project_id}`,
    async open(slowdown = 1, width = 1280) {
      const context = await browser.newContext({ storageState, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
      return page;
    },
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

interface FirstRun {
  regions: { us: Account };
}

interface Account {
  email: string;
  password: string;
  project_id: string;
  api_key: string;
  connections: { deployment: string };
}

async function signIn(context: BrowserContext, site: string, { email, password }: Account): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${site}/sign-in`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}

/** One run by the API, and copies of its row. */
async function addRuns(data: string, { project_id, api_key, connections }: Account, port: number): Promise<void> {
  const headers = { authorization: `Bearer ${project_id}:${api_key}` };
  const body = { connection_id: connections.deployment, input: { method: "GET", path: "/v9/projects" } };
  const answer = await answerTo({ path: "/latest/steps/deployment_api_call/run", headers, body }, port);
  const { run_id } = JSON.parse(answer) as { run_id: string };
  const store = new DatabaseSync(join(data, "us.sqlite"), { timeout: 10_000 });
  const columns = `organization_id, project_id, kind, step_id, connection_id, status, params, attempts, output, output_bytes,
    warnings, limits, started_by, created_at, finished_at`;
  store
    .prepare(
      `insert into runs (id, ${columns})
       with recursive n(i) as (select 10000 union all select i + 1 from n where i < 19999)
       select 'run_us_00' || i, ${columns} from runs, n where id = ?`,
    )
    .run(run_id);
  store.close();
}
