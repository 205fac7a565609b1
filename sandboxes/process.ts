import { once } from "node:events";
import { serveSandboxes } from "./serve.ts";

/**
 * The three sandboxes as a process of their own, so that they never slow the server. The parent sends the first port over the
 * channel between them, and is told when they are ready. They end when that channel does.
 */
let end = (): void => process.exit(0);
process.once("disconnect", () => end());
process.once("SIGTERM", () => end());
// Ctrl-C reaches the whole group; the parent decides when its sandboxes end.
process.on("SIGINT", () => {});

try {
  const [{ firstPort }] = (await once(process, "message")) as [{ firstPort: number }];
  const { urls, stop } = await serveSandboxes(firstPort);
  end = () => void stop().then(() => process.exit(0));
  process.send?.({ ready: urls });
} catch (error) {
  process.send?.({ failed: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
