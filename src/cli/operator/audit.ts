import { listChains } from "../../access/audit/audit.ts";
import { verifyChain } from "../../access/audit/verify-chain.ts";
import { type Region, regions } from "../../kernel/regions.ts";
import { isStoreMade } from "../../start/region/open-database.ts";
import { type Flags, readConfig } from "../../start/settings/config.ts";
import { printRows, requireStore, withStore } from "../as-operator.ts";
import { exitCodes } from "../exit-codes.ts";
import { terminal } from "../terminal/terminal.ts";
import { openSeal } from "./open-seal.ts";

interface VerifyOptions extends Flags {
  region?: Region;
  json?: true;
}

export async function verifyChains(options: VerifyOptions): Promise<void> {
  const config = readConfig(terminal().environment, { home: options.home });
  const made: Region[] = [];
  for (const region of options.region ? [options.region] : config.regions) {
    if (await isStoreMade(config, region)) made.push(region);
  }
  if (made.length === 0) await requireStore(config, options.region ?? config.regions[0] ?? regions[0]);
  const verdicts = [];
  for (const region of made) {
    const found = await withStore(config, region, async ({ db }) => {
      const each = [];
      const seal = openSeal(config, region);
      for (const organizationId of await listChains(db)) each.push(await verifyChain(db, organizationId, seal));
      return each;
    });
    verdicts.push(...found);
  }
  printRows(verdicts as unknown as Record<string, unknown>[], options);
  if (verdicts.some((verdict) => !verdict.valid)) terminal().exitCode = exitCodes.endedBadly;
}
