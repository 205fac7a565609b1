import { Command } from "commander";
import { regionOption } from "./calling/calling-command.ts";

/** Archives of deleted records: files in the archive folder of this machine. */
export const archiveCommand = (): Command => {
  const command = new Command("archive").description("List and verify the archives of deleted records");
  const part = (name: string, description: string) =>
    command
      .command(name)
      .description(description)
      .addOption(regionOption("only this region; default: all"))
      .option("--home <folder>", "the data folder, default ./data or SIGNALBOX_HOME")
      .option("--json", "print one JSON value; errors are JSON on standard error");
  part("list", "List the archives in the archive folder").action(async (options) =>
    (await import("./operator/archive.ts")).listArchiveFiles(options),
  );
  part("verify", "Compare archives with their manifests, and with the store if it is here")
    .argument("[files...]", "archives or manifests; default: all in the archive folder")
    .addHelpText(
      "after",
      `
The command compares each line of a file with the hashes in its manifest. It hashes every row of the audit log again, and compares the last one with the sealed anchor in the store, where the chain continues.

Exit code 1: an archive is damaged, or differs from what the store knows.`,
    )
    .action(async (files: string[], options) =>
      (await import("./operator/archive.ts")).verifyArchiveFiles(files, options),
    );
  return command;
};
