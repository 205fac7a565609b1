import { Command } from "commander";
import type { Flags } from "../start/settings/config.ts";
import { regionOption } from "./calling/calling-command.ts";

export interface OperatorOptions extends Flags {
  region?: string;
  json?: true;
}

/** A command that works on one region's store, with or without a running server. */
export const operatorCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .addOption(regionOption("the region; default: the only one of SIGNALBOX_REGIONS"))
    .option("--home <folder>", "the data folder, default ./data or SIGNALBOX_HOME")
    .option("--json", "print one JSON value; errors are JSON on standard error");
