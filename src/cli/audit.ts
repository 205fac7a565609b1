import { Command, Option } from "commander";
import { listChains, verifyChain } from "../access/audit/audit.ts";
import { type Region, regions } from "../kernel/regions.ts";
import { type Flags, readConfig } from "../start/config.ts";
import { printRows, withStore } from "./command.ts";

interface VerifyOptions extends Flags {
  region?: Region;
  json?: true;
}

export const auditCommand = (): Command =>
  new Command("audit")
    .description("The audit log")
    .addCommand(
      new Command("verify")
        .description("check the audit chain of every organization; exit code 1 if one is broken")
        .addOption(new Option("--region <region>", "one region; default: all that are served").choices(regions))
        .option("--home <folder>", "the data folder, default ./data or SIGNALBOX_HOME")
        .option("--json", "print JSON")
        .action(verify),
    );

async function verify(options: VerifyOptions): Promise<void> {
  const config = readConfig(process.env, { home: options.home });
  const verdicts = [];
  for (const region of options.region ? [options.region] : config.regions) {
    const found = await withStore(config, region, async ({ db }) => {
      const each = [];
      for (const organizationId of await listChains(db)) each.push(await verifyChain(db, organizationId));
      return each;
    });
    verdicts.push(...found);
  }
  printRows(verdicts as unknown as Record<string, unknown>[], options);
  if (verdicts.some((verdict) => !verdict.valid)) process.exitCode = 1;
}
