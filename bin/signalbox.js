#!/usr/bin/env node
// Finds the Node that the package carries and hands over to it: the machine's own may be older than the product needs.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const inPackage = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const entry = inPackage("src/cli/signalbox.ts");
const carried = inPackage("node_modules/.bin/node");

// What was compiled once is kept beside the package: it halves the time that a command needs to start.
process.env.NODE_COMPILE_CACHE ??= inPackage("node_modules/.cache/signalbox");
// Large pieces of memory go back to the system as soon as they are free (glibc; others do not know the word).
process.env.MALLOC_MMAP_THRESHOLD_ ??= "131072";

// As the launcher in the repository's root starts it: V8 stops a server with a small young generation for less.
const youngGeneration = "--max-semi-space-size=8";
const isNew = Number(process.versions.node.split(".")[0]) >= 26;
const isServer = process.argv.includes("serve") && !process.execArgv.includes(youngGeneration);

if (isNew && !isServer) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(entry);
} else if (!isNew && !existsSync(carried)) {
  console.error("Signalbox is not installed yet: run `npm start` or `npm ci` in its folder first.");
  process.exitCode = 1;
} else {
  // A server stops when this process is gone, however it went: a kill that cannot be passed on included.
  const env = { ...process.env, SIGNALBOX_WRAPPER_PID: String(process.pid) };
  const args = [...(isNew ? process.execArgv : []), youngGeneration, entry, ...process.argv.slice(2)];
  const child = spawn(isNew ? process.execPath : carried, args, { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
