import { runCommandLine } from "./command-line.ts";

// Files of this process, such as databases and keys, are readable by its own user only.
process.umask(0o077);
// The reader of a pipe, such as `head`, has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

await runCommandLine(process.argv.slice(2));
