import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { eventNames } from "../src/systems/event-senders.ts";
import { steps, systems, waits } from "../src/systems/index.ts";

/** "What is known of a system stands in `systems/<system>/` alone": nothing else in src/ names a system. */

const root = fileURLToPath(new URL("../src/", import.meta.url));

/** Where a name may occur, and why. A folder ends with a slash. */
const allowed: readonly [path: string, why: string][] = [
  ["systems/", "the place for it"],
  ["console/pages/deployments/", "the page is about deployments, and calls the steps of the deployment platform"],
  ["console/pages/reports/", "the page is about reports, and calls the steps of web analytics"],
  ["console/pages/home/LastReport.tsx", "the card of the home page that shows the last report"],
  ["console/pages/organization/sign-on/", "names Google as an identity provider, not as a system"],
];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const any = (texts: readonly string[]): string => texts.map(escaped).join("|");

const ids = any(systems.map(({ id }) => id));
const vendors = any([...new Set(systems.map(({ vendor }) => vendor.split(" ")[0] ?? vendor))]);
const titles = any(systems.map(({ title }) => title));
const words = any([...steps.map(({ id }) => id), ...waits.map(({ id }) => id), ...eventNames]);

const names: readonly [what: string, pattern: RegExp][] = [
  ["the id of a system", new RegExp(`(["'\`])(?:${ids})\\1`, "g")],
  ["a table by systems", new RegExp(`^\\s*(?:${ids}): `, "gm")],
  ["the folder of a system", new RegExp(`systems/(?:${ids})/`, "g")],
  ["a vendor", new RegExp(vendors, "gi")],
  ["the title of a system", new RegExp(titles, "gi")],
  ["a step or an event of a system", new RegExp(`\\b(?:${words})\\b`, "g")],
];

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => ({ path, code: withoutComments(readFileSync(join(root, path), "utf8")) }));

const namesIn = (code: string): string[] =>
  names.flatMap(([what, pattern]) => [...code.matchAll(pattern)].map(([found]) => `${what}: ${found.trim()}`));

test("nothing outside of systems/ names a system, its vendor, its steps or its events", () => {
  const isAllowed = (path: string) => allowed.some(([start]) => path.startsWith(start));
  const wrong = sources
    .filter(({ path }) => !isAllowed(path))
    .flatMap(({ path, code }) => namesIn(code).map((found) => `${path} has ${found}`));
  expect(wrong).toEqual([]);
});

test("each file and folder that may name a system does name one", () => {
  const needless = allowed.filter(
    ([start]) => !sources.some(({ path, code }) => path.startsWith(start) && namesIn(code).length > 0),
  );
  expect(needless).toEqual([]);
});

test("how the console shows a system is plain data: no code of the server reaches a browser", () => {
  const reached = plainDataFrom("systems/presented-systems.ts");
  expect(reached.length).toBeGreaterThan(systems.length);
  // A change of these, and of no other file there, builds the console anew (`src/start/build-console.ts`).
  expect(reached.slice(1).filter((path) => !path.endsWith("/presentation.ts"))).toEqual([]);
});

/** The file and all that it imports but types. Refuses packages and functions. */
function plainDataFrom(path: string): string[] {
  const { code = "" } = sources.find((source) => source.path === path) ?? {};
  const imported = [...code.matchAll(/^import (?!type )[^"]*?"([^"]+)"/gm)].map((found) => found[1] ?? "");
  expect([path, imported.filter((name) => !name.startsWith("."))]).toEqual([path, []]);
  expect([path, code.match(/\bfunction\b|=>/g)]).toEqual([path, null]);
  return [path, ...imported.flatMap((name) => plainDataFrom(join(dirname(path), name)))];
}
