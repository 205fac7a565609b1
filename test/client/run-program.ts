import { spawn } from "node:child_process";

/** Runs a program to its end. Returns its output, or throws with all that it wrote. */
export function runProgram(
  program: string,
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...options.env };
    const child = spawn(program, args, { cwd: options.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const out: Buffer[] = [];
    const all: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk) && all.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => all.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`${program} ${args.join(" ")} ended with ${code}: ${Buffer.concat(all)}`));
    });
  });
}
