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

const detachMilliseconds = 5000;

interface Attached {
  /** Ends the tracer. The process goes on. */
  detach(): Promise<void>;
}

/** A tracer that makes system calls of a running process fail. */
export interface Tracer extends Attached {
  /** How many calls have failed. */
  faults(): number;
}

/** strace reports what it has injected, so faults can be counted. Each thread counts its own calls. */
export async function injectInto(pid: number, injections: readonly Injection[]): Promise<Tracer> {
  const [first] = injections;
  if (!first) throw new Error("There is nothing to inject.");
  const calls = injections.map((each) => each.calls).join(",");
  const only = (first.files ?? []).flatMap((file) => ["-P", file]);
  const rules = injections.flatMap((each) => ["-e", `inject=${each.calls}:${each.what}`]);
  let faults = 0;
  const attached = await attachTo(pid, calls, [...rules, ...only], (line) => {
    if (line.includes("(INJECTED)")) faults++;
  });
  return { ...attached, faults: () => faults };
}

/** A tracer that counts system calls of a running process. */
export interface Counter extends Attached {
  /** By call, of the thread that has made the most of them: so far an injection into the Nth one can strike. */
  counts(): Map<string, number>;
}

export async function countIn(pid: number, calls: string): Promise<Counter> {
  const ofThreads = new Map<string, number>();
  const attached = await attachTo(pid, calls, [], (line) => {
    const [, thread = "", call] = /^(?:\[pid +(\d+)\] )?(\w+)\(/.exec(line) ?? [];
    if (call !== undefined) ofThreads.set(`${call} ${thread}`, (ofThreads.get(`${call} ${thread}`) ?? 0) + 1);
  });
  const counts = (): Map<string, number> => {
    const most = new Map<string, number>();
    for (const [name, count] of ofThreads) {
      const [call = ""] = name.split(" ");
      most.set(call, Math.max(most.get(call) ?? 0, count));
    }
    return most;
  };
  return { ...attached, counts };
}

async function attachTo(
  pid: number,
  calls: string,
  more: readonly string[],
  read: (line: string) => void,
): Promise<Attached> {
  const options = ["-f", "-p", String(pid), "-e", `trace=${calls}`, ...more];
  const tracer = spawn(requireProgram("strace"), options, { stdio: ["ignore", "ignore", "pipe"] });
  const end = () => void tracer.kill("SIGINT");
  process.once("exit", end);
  const ended = once(tracer, "close");
  let rest = "";
  await new Promise<void>((resolve, reject) => {
    let head = "";
    tracer.stderr.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) read(line);
      if (head.length > 2000) return;
      head += chunk.toString();
      if (/attached/.test(head)) resolve();
    });
    tracer.once("exit", () => reject(new Error(`strace could not attach: ${head}`)));
  });
  return {
    async detach() {
      process.off("exit", end);
      tracer.kill("SIGINT");
      // strace waits for ever for a process that ends while it detaches. The kernel lets go of the others.
      const forced = setTimeout(() => tracer.kill("SIGKILL"), detachMilliseconds);
      await ended;
      clearTimeout(forced);
    },
  };
}
