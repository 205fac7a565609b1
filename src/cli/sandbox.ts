import { Command } from "commander";
import { createLog } from "../kernel/log.ts";
import { gatherLines } from "../kernel/standard-output.ts";
import { parentToWatch, stopWithParent } from "../start/process/stop-with-parent.ts";
import { SandboxesRefused, startOwnSandboxes } from "../start/sandboxes/start-sandboxes.ts";
import { readConfig, sandboxPortOf } from "../start/settings/config.ts";
import { sandboxPorts } from "../start/settings/settings.ts";
import { CommandRefused } from "./as-operator.ts";

export const sandboxCommand = (): Command =>
  new Command("sandbox")
    .description("Serve the sandboxes alone, until stopped")
    .option("--port <port>", `the server's first port P; the sandboxes take ${sandboxPorts}`)
    .action(async (flags: { port?: string }) => {
      const parent = parentToWatch(process.env);
      const config = readConfig(process.env, flags);
      const log = createLog(config.logLevel, gatherLines(1));
      const { urls, stop } = await startOwnSandboxes(sandboxPortOf(config.port), log).catch((error) => {
        throw error instanceof SandboxesRefused ? new CommandRefused(error.message) : error;
      });
      const end = () => void stop().then(() => process.exit(0));
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
      stopWithParent(parent, end);
      console.log("The sandboxes are ready. Each tells its credentials and ids at /_sandbox.\n");
      for (const [system, url] of Object.entries(urls)) console.log(`  ${system.padEnd(10)}  ${url}/_sandbox`);
      console.log("\nStop with Ctrl-C.");
    });
