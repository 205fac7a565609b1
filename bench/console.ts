import { isUsable, settled, watchShifts } from "./console-page.ts";
import { type Walk, walkThrough } from "./console-walk.ts";
import type { Plan } from "./rounds/compare.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { type ConsoleSite, startConsoleSite } from "./targets/console-site.ts";

const slowdown = 4;
/** As on a telephone. */
const narrow = 390;
/** What each figure may be at most, frames a second at least. */
const goals = { scriptKb: 180, paint: 1000, route: 100, frames: 50, frame: 17, interaction: 200, shift: 0.05 };

/** Every page of the navigation may be the first one. */
const firstPages = [
  "",
  ..."/inbox /tools /runs /agents /schedules /deployments /reports /integrations /limits /people /audit".split(" "),
];
const outsideProject = ["/projects", "/organization"];

/** The console in a real browser: its size, and how long a person waits for it. */
export async function measureConsole(folder: string, plan: Plan): Promise<Line[]> {
  const site = await startConsoleSite(folder);
  try {
    const rounds = Array.from({ length: plan.rounds });
    const figures = { paints: [], usable: [], frames: [] } as Record<"paints" | "usable" | "frames", number[]>;
    const walks: Walk[] = [];
    // Neither depends on how quick the machine is: once is enough.
    const first = await worstFirstPage(site);
    const onTelephone = await worstFirstPage(site, narrow);
    for (const [round] of rounds.entries()) {
      console.log(`console: round ${round + 1} of ${plan.rounds}`);
      const { paint, usable } = await firstPaint(site);
      figures.paints.push(paint);
      figures.usable.push(usable);
      figures.frames.push(await scrollFrames(site));
      walks.push(await walkThrough(site));
    }
    const of = (name: keyof Walk) => walks.map((walk) => walk[name]);
    const atMost = (what: string, unit: Line["unit"], ours: number[], most: number, goal: number | null = 1) =>
      lineOf(what, unit, ours, { name: "goal", figures: ours.map(() => most) }, goal);
    return [
      atMost("script of a first page, compressed", "kB", [first.scriptKb], goals.scriptKb),
      atMost(`first paint, processor ${slowdown} times slower`, "ms", figures.paints, goals.paint),
      atMost("the same page, until it can be used", "ms", figures.usable, goals.paint, null),
      atMost("another page, until its heading is drawn", "ms", of("route"), goals.route),
      atMost("a key in the search bar, of the script", "ms", of("typing"), goals.frame),
      atMost("a key in Search steps, until its list is there", "ms", of("stepSearch"), goals.frame),
      atMost("slowest interaction of any page until the next paint", "ms", of("slowest"), goals.interaction),
      atMost("layout shift of a page", "", [first.shift], goals.shift),
      atMost(`the same, ${narrow} pixels wide`, "", [onTelephone.shift], goals.shift),
      atMost("layout shift of a page opened from another", "", of("shift"), goals.shift),
      lineOf(
        "frames while 10,000 runs scroll",
        "/s",
        figures.frames,
        { name: "goal", figures: figures.frames.map(() => goals.frames) },
        1,
      ),
    ];
  } finally {
    await site.stop();
  }
}

/** Each page as the first one of a browser with an empty cache: the script that it needs until it can be used. */
async function worstFirstPage(site: ConsoleSite, width?: number): Promise<{ scriptKb: number; shift: number }> {
  let [scriptKb, shift] = [0, 0];
  const { origin } = new URL(site.home);
  const addresses = [...firstPages.map((path) => site.home + path), ...outsideProject.map((path) => origin + path)];
  for (const address of addresses) {
    const page = await site.open(1, width);
    await page.addInitScript(watchShifts + watchUsable);
    await page.goto(address);
    await settled(page);
    scriptKb = Math.max(scriptKb, await page.evaluate<number>(scriptBytes).then((bytes) => bytes / 1000));
    shift = Math.max(shift, await page.evaluate<number>("window.shifted"));
    await page.context().close();
  }
  return { scriptKb, shift };
}

const scriptBytes = `performance.getEntriesByType("resource")
  .filter(({ name, startTime }) => name.endsWith(".js") && startTime < window.usableAt)
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

/** The heading and the data are there. What loads afterwards, when the browser is idle, nobody waits for. */
const watchUsable = `const watchUsable = () => {
  if (${isUsable}) window.usableAt = performance.now();
  else requestAnimationFrame(watchUsable);
};
requestAnimationFrame(watchUsable);`;

/** The first text on screen, which is the frame of the page, and the moment from which heading and data are there. */
async function firstPaint(site: ConsoleSite): Promise<{ paint: number; usable: number }> {
  const page = await site.open(slowdown);
  await page.addInitScript(watchUsable);
  await page.goto(site.home);
  await settled(page);
  const paint = await page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName("first-contentful-paint");
      if (paint) resolve(paint.startTime);
    }).observe({ type: "paint", buffered: true });
  })`);
  const usable = await page.evaluate<number>("window.usableAt");
  await page.context().close();
  return { paint, usable };
}

/** Wheel turns for two seconds, frames counted meanwhile. */
async function scrollFrames(site: ConsoleSite): Promise<number> {
  const page = await site.open();
  await page.goto(`${site.home}/runs`);
  await settled(page);
  await page.mouse.move(640, 500);
  const counted = page.evaluate<number>(`new Promise((resolve) => {
    const start = performance.now();
    let frames = 0;
    const next = (now) => {
      if (now - start > 2000) return resolve(frames / ((now - start) / 1000));
      frames++;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
  let isDone = false;
  void counted.finally(() => {
    isDone = true;
  });
  while (!isDone) await page.mouse.wheel(0, 240);
  const frames = await counted;
  await page.context().close();
  return frames;
}
