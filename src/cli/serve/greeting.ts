import { firstRunFile, readFirstRun } from "../../start/first-run/first-run.ts";
import { storeName } from "../../start/region/open-database.ts";
import type { Config } from "../../start/settings/config.ts";

/** Where to go next, and a call that works when pasted. The seconds count from the start of the process. */
export function greeting(config: Config, seconds: number): string {
  const lines = [`Signalbox is ready (${seconds.toFixed(1)} s).`, ""];
  const regions = config.regions.map(
    (region) => `  region ${region}   ${config.baseUrls[region]}   ${storeName(config, region)}`,
  );
  if (config.role === "worker") {
    const role = "This worker carries out runs. Nodes with the role api or all serve calls and the console.";
    return `${[...lines, ...regions, "", role].join("\n")}\n`;
  }
  const first = config.regions[0];
  const pages = first && config.baseUrls[first].replace("127.0.0.1", "localhost");
  if (pages) lines.push(`  console     ${pages}`);
  lines.push(...regions);
  if (pages) lines.push(`  docs        ${pages}/latest/documentation`);
  const { sandboxes } = config.firstRun ? readFirstRun(config.home) : {};
  for (const [system, url] of Object.entries(sandboxes ?? {})) lines.push(`  sandbox     ${url}   ${system}`);
  const entry = config.firstRun && first ? readFirstRun(config.home).regions[first] : undefined;
  if (entry) {
    lines.push(
      "",
      `You are ${entry.email}, owner of the first organization in each region. Sign in at`,
      "",
      // The console is what a newcomer looks for; without `next` the person's own account opens.
      `  ${entry.base_url.replace("127.0.0.1", "localhost")}/sign-in?next=/`,
      ...(entry.password === undefined ? [] : [`  ${entry.email}   ${entry.password}`]),
      "",
      "or paste this:",
      "",
      `  curl -s -w '\\n' ${entry.base_url}/latest/auth/info -H 'Content-Type: application/json' \\`,
      `    -H 'Authorization: Bearer :${entry.api_key}' -d '{}'`,
      "",
      `Ids and keys of all regions are in ${firstRunFile(config.home)}. Stop with Ctrl-C.`,
    );
  }
  if (config.firstRun && first && !entry)
    lines.push(
      "",
      `${firstRunFile(config.home)} has no keys of the region ${first} yet: the log says why. Stop with Ctrl-C.`,
    );
  return `${lines.join("\n")}\n`;
}
