import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { onCore, type Side } from "./cores.ts";

/** A process on its core that answers each message of its parent with one of its own: `{ result }` or `{ error }`. */
export interface Child {
  pid: number;
  /** The first message it sends by itself, when it is ready. */
  ready: Promise<unknown>;
  ask<Question extends object, Answer>(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
// Before the folder of the run is removed: nobody goes on writing there, and no server outlives a run that was stopped.
process.prependListener("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function spawnOnCore(side: Side, command: string[], options: SpawnOptions): ChildProcess {
  const { file, args } = onCore(side, command);
  const child = spawn(file, args, options);
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

interface Reply {
  result?: unknown;
  error?: string;
}

export function startChild(side: Side, module: URL, args: string[] = []): Child {
  const command = [process.execPath, "--no-warnings", module.pathname, ...args];
  const child = spawnOnCore(side, command, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const { next, ask } = asking(child, module.pathname.split("/").at(-1) ?? "");
  return { pid: child.pid ?? 0, ready: next(), ask, stop: () => stopProcess(child) };
}

/** The way to a child that has a channel to its parent. */
export function asking(child: ChildProcess, name: string): { next(): Promise<unknown>; ask: Child["ask"] } {
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  child.on("error", gone.reject);
  child.on("exit", (code, signal) => gone.reject(new Error(`${name} ended (${code ?? signal}).`)));
  const next = () => Promise.race([gone.promise, nextMessage(child)]);
  return {
    next,
    async ask<Question extends object, Answer>(question: Question): Promise<Answer> {
      const reply = next();
      child.send(question);
      return (await reply) as Answer;
    },
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
