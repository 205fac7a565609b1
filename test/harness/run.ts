import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { commitHere } from "../kill-loop/runs/verdict.ts";
import type { Harness, StoreKind } from "./frame/harness.ts";
import { withResults } from "./frame/results-table.ts";
import { runHarnesses } from "./frame/run-harnesses.ts";
import { harnesses } from "./list.ts";

/**
 * npm run harness -- [names or ids] [--seed N] [--cycles N] [--store sqlite|postgres] [--minutes N] [--short] [--write]
 *
 * Without names: all of them. Exits with 0 if every promise was kept, with 1 if one was broken, with 2 if it was called wrongly.
 */
const usage = `Usage: npm run harness -- [names or ids] [--list] [--seed N] [--cycles N] [--store sqlite|postgres] [--minutes N] [--short] [--write]
Without names: all. --write puts the results into docs/reliability.md; it needs a full run, so it excludes --short.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    seed: { type: "string" },
    cycles: { type: "string" },
    store: { type: "string" },
    minutes: { type: "string" },
    short: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

if (values.list) {
  for (const { id, name, title, stores } of harnesses) console.log(`${id} ${name} (${stores.join(", ")}): ${title}`);
  process.exit(0);
}

const wanted = positionals.length === 0 ? harnesses : positionals.flatMap(harnessesCalled);
const seed = numberOf("seed", values.seed) ?? Math.floor(Math.random() * 1e6);
const cycles = numberOf("cycles", values.cycles);
const minutes = numberOf("minutes", values.minutes);
const { store = null } = values;
if (store !== null && store !== "sqlite" && store !== "postgres") refuse(`There is no store ${store}.`);
if (values.write && values.short) refuse("A short run is not written into the documents.");

// Ending in good order ends what it has started, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const outcomes = await runHarnesses(
  { harnesses: wanted, seed, cycles, store: store as StoreKind | null, minutes, isShort: values.short },
  (line) => console.log(line),
);
if (values.write) {
  const document = new URL("../../docs/reliability.md", import.meta.url);
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(document, withResults(readFileSync(document, "utf8"), outcomes, commitHere(), date));
  console.log("wrote docs/reliability.md");
}
const broken = outcomes.filter(({ findings }) => findings !== null && findings.broken.length > 0);
const skipped = outcomes.filter(({ findings }) => findings === null);
console.log(
  `${outcomes.length - broken.length - skipped.length} kept, ${broken.length} broken, ${skipped.length} skipped`,
);
process.exit(broken.length > 0 ? 1 : 0);

function harnessesCalled(word: string): Harness[] {
  const found = harnesses.filter(({ id, name }) => name === word || id.toLowerCase() === word.toLowerCase());
  if (found.length === 0) refuse(`There is no harness ${word}; --list shows all.`);
  return found;
}

function numberOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < (name === "seed" ? 0 : 1))
    refuse(`--${name} is a whole number, not ${text}.`);
  return value;
}

function refuse(sentence: string): never {
  console.error(`${sentence}\n${usage}`);
  process.exit(2);
}
