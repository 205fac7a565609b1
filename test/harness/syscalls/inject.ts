import { spawn } from "node:child_process";
import { once } from "node:events";
import { requireProgram } from "../frame/find-program.ts";

export interface Injection {
  /** What strace calls them: "pwrite64,fdatasync". */
  calls: string;
  /** "error=EIO:when=7", as after `inject=…:` of strace. */
  what: string;
  /** Only calls about these files. Without any: all. */
  files?: readonly string[];
}

/** A tracer that makes system calls of a running process fail. */
export interface Tracer {
  /** How many calls have failed. */
  faults(): number;
  /** Ends the tracer. The process goes on. */
  detach(): Promise<void>;
}

/** strace reports what it has injected, so faults can be counted. Each thread counts its own calls. */
export async function injectInto(pid: number, injections: readonly Injection[]): Promise<Tracer> {
  const [first] = injections;
  if (!first) throw new Error("There is nothing to inject.");
  const calls = injections.map((each) => each.calls).join(",");
  const only = (first.files ?? []).flatMap((file) => ["-P", file]);
  const rules = injections.flatMap((each) => ["-e", `inject=${each.calls}:${each.what}`]);
  const options = ["-f", "-p", String(pid), "-e", `trace=${calls}`, ...rules, ...only];
  const tracer = spawn(requireProgram("strace"), options, { stdio: ["ignore", "ignore", "pipe"] });
  const end = () => void tracer.kill("SIGINT");
  process.once("exit", end);
  const ended = once(tracer, "exit");
  let [faults, rest] = [0, ""];
  const attached = new Promise<void>((resolve, reject) => {
    let head = "";
    tracer.stderr.on("data", (chunk: Buffer) => {
      const text = rest + chunk.toString();
      const lines = text.split("\n");
      rest = lines.pop() ?? "";
      faults += lines.filter((line) => line.includes("(INJECTED)")).length;
      if (head.length > 2000) return;
      head += chunk.toString();
      if (/attached/.test(head)) resolve();
    });
    tracer.once("exit", () => reject(new Error(`strace could not attach: ${head}`)));
  });
  await attached;
  return {
    faults: () => faults,
    async detach() {
      process.off("exit", end);
      tracer.kill("SIGINT");
      await ended;
    },
  };
}
