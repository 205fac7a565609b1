import { readFileSync, writeFileSync } from "node:fs";
import { externalLinks } from "../test/documents/documents.ts";

/**
 * Asks for every external address that the documents link to, and writes down the day on which it responded. It needs the internet, so
 * it is no part of the tests: they check that every address is in the list. Exit code 1: an address did not respond.
 */
const file = new URL("../test/documents/external-links.json", import.meta.url);
const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
const today = new Date().toISOString().slice(0, 10);
const waitMilliseconds = 20_000;

async function whyNot(address: string): Promise<string | null> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(waitMilliseconds) });
    return response.ok ? null : `status ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const links = Object.fromEntries(externalLinks().map((address) => [address, known[address] ?? "not checked yet"]));
for (const address of Object.keys(links)) {
  const why = await whyNot(address);
  if (why === null) links[address] = today;
  else {
    console.log(`${address}: ${why}`);
    process.exitCode = 1;
  }
}
writeFileSync(file, `${JSON.stringify(links, null, 2)}\n`);
