import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { leftOut } from "./left-out.ts";
import { isOktaSuite, runOktaSuite } from "./okta.ts";
import { isCollection, runCollection } from "./postman.ts";
import type { Check, Target } from "./suite.ts";

/**
 * npm run scim-suites -- [files or addresses]
 *
 * Runs the suites of identity providers for SCIM against a server of its own. Without arguments, it downloads the newest ones. Exits
 * with 1 if an assertion fails that is not left out on purpose.
 */
const published = [
  "https://developer.okta.com/standards/SCIM/SCIMFiles/Okta-SCIM-20-SPEC-Test.json",
  "https://raw.githubusercontent.com/AzureAD/SCIMReferenceCode/master/PostmanCollection.json",
  "https://raw.githubusercontent.com/AzureAD/SCIMReferenceCode/master/SCIM%20Inbound.postman_collection.json",
];

const wanted = process.argv.length > 2 ? process.argv.slice(2) : published;
let failures = 0;
for (const source of wanted) failures += await judge(source);
process.exit(failures === 0 ? 0 : 1);

async function judge(source: string): Promise<number> {
  const suite = await read(source);
  const home = mkdtempSync(join(tmpdir(), "signalbox-scim-suites-"));
  const server = await startServer(home);
  try {
    const target = { baseUrl: `http://localhost:${server.port}/scim/v2`, token: firstRunOf(home).scim_token ?? "" };
    const { title, checks } = checksOf(suite, target, source);
    const [failed, omitted]: [string[], string[]] = [[], []];
    let passed = 0;
    for await (const { name, problem } of checks) {
      if (problem === null) passed++;
      else if (name in leftOut) omitted.push(`${name}: ${leftOut[name]}`);
      else failed.push(`${name}: ${problem}`);
    }
    console.log(`${title}: ${passed} of ${passed + failed.length + omitted.length} pass`);
    for (const line of omitted) console.log(`  left out  ${line}`);
    for (const line of failed) console.log(`  FAILED    ${line}`);
    return failed.length;
  } finally {
    await server.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

async function read(source: string): Promise<object> {
  if (!source.startsWith("https:")) return JSON.parse(readFileSync(source, "utf8")) as object;
  const response = await fetch(source);
  if (!response.ok) throw new Error(`${source} returned ${response.status}.`);
  return (await response.json()) as object;
}

function checksOf(suite: object, target: Target, source: string): { title: string; checks: AsyncIterable<Check> } {
  if (isOktaSuite(suite)) return { title: suite.name, checks: runOktaSuite(suite, target) };
  if (isCollection(suite)) return { title: `Microsoft, ${suite.info.name}`, checks: runCollection(suite, target) };
  throw new Error(`${source} is neither Okta's suite nor a collection of Postman.`);
}
