import cluster from "node:cluster";
import { Command } from "commander";
import { forkSandboxes } from "../../start/sandboxes/start-sandboxes.ts";
import type { ServeFlags } from "./serve-regions.ts";

export const serveCommand = (): Command =>
  new Command("serve")
    .description("Serve the regions until stopped")
    .option("--port <port>", "first port; the regions follow each other")
    .option("--host <address>", "address to listen on")
    .option("--home <folder>", "the data folder")
    .option("--regions <list>", "which regions, with commas between")
    .option("--role <role>", "all, api or worker; the last two need PostgreSQL")
    .option("--processes <number>", "how many processes serve together, or auto: one on each core; needs PostgreSQL")
    .option("--sandboxes <where>", "own, off, or the address of ones already running")
    .option("--first-run", "make a master key, and a first account in each empty region")
    .action(serve);

/** The sandboxes are a process of their own, which fills itself with data while this one loads its thousand modules. */
async function serve(flags: ServeFlags): Promise<void> {
  const isOwn = (flags.sandboxes ?? process.env.SIGNALBOX_SANDBOXES) === "own";
  // Several processes share those of the primary.
  const sandboxes = isOwn && cluster.isPrimary ? forkSandboxes() : undefined;
  const { serveRegions } = await import("./serve-regions.ts");
  await serveRegions(flags, sandboxes).catch((error) => {
    sandboxes?.end();
    throw error;
  });
}
