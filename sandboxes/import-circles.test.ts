import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** Types count: a file that is known through its types alone is known. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(root, file), "utf8");
  const named = [...code.matchAll(/^(?:import|export)\b[^"]*?\bfrom\s+"(\.[^"]+)"/gm)].map((match) => match[1] ?? "");
  return named.map((name) => relative(root, resolve(root, dirname(file), name)));
}

// "Data flows one way. A file never wonders who calls it."
test("no file of the sandboxes leads back to itself", () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  function walk(file: string, way: string[]): void {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" → "));
    if (done.has(file) || way.includes(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...way, file]);
    done.add(file);
  }
  for (const file of files) walk(file, []);
  expect(circles).toEqual([]);
});

// "stand-ins that import nothing from src/"
test("the sandboxes import nothing from outside their folder", () => {
  const outside = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith(".."))
      .map((name) => `${file}: ${name}`),
  );
  expect(outside).toEqual([]);
});
