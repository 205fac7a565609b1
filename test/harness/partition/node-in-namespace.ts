import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../../support/processes/bundle.ts";
import type { Namespace } from "./namespace.ts";

const source = fileURLToPath(new URL("../../../src/cli/signalbox.ts", import.meta.url));
const port = 4100;

/** A node that reaches the world only through the cable of the namespace. */
export async function startNodeIn(
  namespace: Namespace,
  home: string,
  settings: NodeJS.ProcessEnv,
): Promise<{ port: number; kill(): Promise<void> }> {
  const program = await bundleProgram(source);
  const serve = ["serve", "--first-run", "--regions", "us", "--port", String(port), "--home", home];
  const child = spawn(namespace.ip, ["netns", "exec", namespace.name, process.execPath, program, ...serve], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      SIGNALBOX_HOST: namespace.inside,
      SIGNALBOX_RATE_LIMITS: "off",
      SIGNALBOX_LOG_LEVEL: "error",
      ...settings,
    },
  });
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("Signalbox is ready")) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`The node in the namespace has ended:\n${said}`)));
  });
  return {
    port,
    async kill() {
      process.off("exit", end);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
