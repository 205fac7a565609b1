import { Command } from "commander";
import { ensureConsole } from "../start/build-console.ts";

/** For images and read-only folders: what the first start would build. */
export const buildCommand = (): Command =>
  new Command("build")
    .description("Build the console, if its sources have changed since it was last built")
    .action(async () => {
      const folder = await ensureConsole(() => console.log("Building the console, some seconds …"));
      console.log(`The console is in ${folder}.`);
    });
