import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { type FirstRunRegion, readFirstRun } from "../src/start/first-run/first-run.ts";
import { findChromium } from "../test/support/browser/find-chromium.ts";
import { startServer } from "../test/support/processes/server-process.ts";
import { type ExampleDay, fillExampleDay } from "./example-day.ts";

/** Writes pictures of the console's main pages to docs/screens/, from a server of its own with an example day. */

const folder = fileURLToPath(new URL("../docs/screens/", import.meta.url));
const bytesMax = 200_000;
/** The console's header, the bar of the editor, and a little space. */
const roomAbove = "112px";

interface Screen {
  name: string;
  /** The address within the project. */
  part: (day: ExampleDay) => string;
  /** Resolves once the page shows what the picture is about. */
  shows: (page: Page) => Promise<unknown>;
  /** What the picture begins with, if not the page's heading. */
  from?: (page: Page) => Locator;
  dark?: true;
}

const screens: Screen[] = [
  {
    name: "home",
    part: () => "",
    shows: async (page) => {
      await page.getByRole("img", { name: /^Chart of/ }).waitFor();
      await page.getByRole("region", { name: "Last deployments" }).getByRole("listitem").first().waitFor();
    },
    dark: true,
  },
  {
    name: "build",
    part: ({ releaseTool }) => `/tools/${releaseTool}?tab=build`,
    shows: async (page) => {
      await page.getByRole("button", { name: /Create Deployment/ }).click();
      await page.getByText("= main").first().waitFor();
    },
    from: (page) => page.getByRole("listitem", { name: /^Step 1/ }),
  },
  {
    name: "run",
    part: ({ finishedRun }) => `/runs/${finishedRun}?step=deploy`,
    shows: (page) => page.getByText("Succeeded").first().waitFor(),
  },
  {
    name: "inbox",
    part: ({ lostRun }) => `/inbox?item=${lostRun}.welcome`,
    shows: (page) => page.getByText("What was sent").waitFor(),
    from: (page) => page.getByText("What was sent"),
    dark: true,
  },
  {
    name: "reports",
    part: ({ reportRun }) => `/reports?runs=${reportRun}`,
    shows: (page) => page.getByRole("img", { name: /^Chart of/ }).waitFor(),
    from: (page) => page.getByText("Costs about"),
  },
  {
    name: "deployments",
    part: () => "/deployments",
    shows: (page) => page.getByRole("table", { name: "Deployments" }).getByRole("row").nth(1).waitFor(),
  },
  {
    name: "integrations",
    part: () => "/integrations",
    shows: (page) => page.getByText("Shop figures").waitFor(),
  },
  {
    name: "limits",
    part: () => "/limits",
    shows: (page) => page.getByRole("meter").first().waitFor(),
  },
];

async function writeScreens(): Promise<void> {
  const program = findChromium();
  if (program === undefined) throw new Error("There is no Chromium on this machine. Name one in CHROMIUM_PATH.");
  const home = mkdtempSync(join(tmpdir(), "signalbox-screens-"));
  const server = await startServer(home, { SIGNALBOX_SANDBOXES: "own" });
  try {
    const firstRun = readFirstRun(home);
    const day = await fillExampleDay(firstRun);
    const site = `http://localhost:${server.port}`;
    // The user may be root, where Chromium's own sandbox does not work.
    const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
    try {
      mkdirSync(folder, { recursive: true });
      await takePictures(await signIn(browser, site, "light", firstRun.regions.us), site, day, screens, "");
      const inDark = screens.filter(({ dark }) => dark);
      await takePictures(await signIn(browser, site, "dark", firstRun.regions.us), site, day, inDark, "-dark");
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function signIn(
  browser: Browser,
  site: string,
  colorScheme: "light" | "dark",
  owner: FirstRunRegion | undefined,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1,
    colorScheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  });
  const page = await context.newPage();
  await page.goto(`${site}/sign-in`);
  await page.getByLabel("E-mail").fill(owner?.email ?? "");
  await page.getByLabel("Password", { exact: true }).fill(owner?.password ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  return page;
}

async function takePictures(page: Page, site: string, day: ExampleDay, wanted: Screen[], ending: string) {
  for (const { name, part, shows, from } of wanted) {
    await page.goto(`${site}/projects/${day.projectId}${part(day)}`);
    await shows(page);
    await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
    await from?.(page).evaluate((element, room) => {
      element.style.scrollMarginTop = room;
      element.scrollIntoView({ block: "start" });
    }, roomAbove);
    await page.mouse.move(0, 0);
    const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
    if (picture.length > bytesMax) throw new Error(`The picture of ${name} has ${picture.length} bytes.`);
    writeFileSync(`${folder}${name}${ending}.png`, picture);
    console.log(`wrote docs/screens/${name}${ending}.png`);
  }
}

await writeScreens();
