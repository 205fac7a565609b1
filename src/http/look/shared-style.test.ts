import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pageStyle } from "../documentation/site-style.ts";
import { sharedStyle } from "./shared-style.ts";

const sheet = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const tokens = sheet("tokens.css");
const consoleSheets = globSync("**/*.css", { cwd: new URL("../../console/", import.meta.url) });
const consoleStyle = consoleSheets.map((name) => sheet(`../../console/${name}`)).join("\n");

describe("one visual language", () => {
  /** "Sign-in pages, consent result, documentation and console share one visual language: one set of tokens." */
  test.each([
    ["every page of the server", sharedStyle.slice(tokens.length)],
    ["sign-in, account, invite, consent and single sign-on", sheet("../sign-in/style.css")],
    ["the documentation", pageStyle.slice(sharedStyle.length)],
    ["the console", consoleStyle],
  ])("%s: no colour or font of its own", (_, style) => {
    expect(style).not.toMatch(/#[0-9a-f]{3,8}\b|rgba?\(|hsl|oklch|font-family: (?!var|inherit)/i);
    const unknown = [...style.matchAll(/var\((--[\w-]+)\)/g)].map((match) => match[1] ?? "");
    expect(
      unknown.filter((name) => !name.startsWith("--mantine-") && !`${tokens}${style}`.includes(`${name}:`)),
    ).toEqual([]);
  });

  test("each token is written once, with its light and its dark value", () => {
    const names = [...tokens.matchAll(/^\s*(--[\w-]+):/gm)].map((match) => match[1]);
    expect(names).toEqual([...new Set(names)]);
    expect(names.length).toBeGreaterThan(20);
  });
});

describe.each(["light", "dark"])("the colours, %s", (scheme) => {
  const pairs = [...tokens.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
  const colours = new Map(pairs.map(([, name, light, dark]) => [name, scheme === "light" ? light : dark]));
  test.each([
    ["ink", "paper"],
    ["ink", "ground"],
    ["soft", "paper"],
    ["soft", "ground"],
    ["accent", "paper"],
    ["accent", "ground"],
    ["accent", "accent-wash"],
    ["on-accent", "accent"],
    ["literal", "ground"],
    ["good", "good-wash"],
    ["warn", "warn-wash"],
    ["warn", "paper"],
    ["warn", "ground"],
    ["bad", "bad-wash"],
    ["bad", "paper"],
  ])("%s can be read on %s", (text, ground) => {
    expect(contrast(colours.get(text) ?? "", colours.get(ground) ?? "")).toBeGreaterThanOrEqual(4.5);
  });
});

/** The ratio of WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [dim = 0, bright = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
