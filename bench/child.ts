import { type ChildProcess, spawn } from "node:child_process";
import { onCore, type Side } from "./cores.ts";

/** A process on its core that answers each message of its parent with one of its own: `{ result }` or `{ error }`. */
export interface Child {
  pid: number;
  /** The first message it sends by itself, when it is ready. */
  ready: Promise<unknown>;
  ask<Question extends object, Answer>(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

interface Reply {
  result?: unknown;
  error?: string;
}

export function startChild(side: Side, module: URL, args: string[] = [], cwd?: string): Child {
  const { file, args: line } = onCore(side, [process.execPath, "--no-warnings", module.pathname, ...args]);
  const child = spawn(file, line, { stdio: ["ignore", "inherit", "inherit", "ipc"], ...(cwd ? { cwd } : {}) });
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  child.on("error", gone.reject);
  child.on("exit", (code, signal) =>
    gone.reject(new Error(`${module.pathname.split("/").at(-1)} ended (${code ?? signal}).`)),
  );
  const next = () => Promise.race([gone.promise, nextMessage(child)]);
  return {
    pid: child.pid ?? 0,
    ready: next(),
    async ask<Question extends object, Answer>(question: Question): Promise<Answer> {
      const reply = next();
      child.send(question);
      return (await reply) as Answer;
    },
    stop: () => stopProcess(child),
  };
}

const nextMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    child.once("message", (reply: Reply) =>
      reply.error === undefined ? resolve(reply.result) : reject(new Error(reply.error)),
    );
  });

/** A polite end, and after some seconds an impolite one. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const cutOff = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(cutOff);
}
