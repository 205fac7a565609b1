import { serveSandboxes } from "./serve.ts";

/**
 * The three sandboxes as a process of their own, so that they never slow the server. Started with the first port and the
 * address to listen on; tells its parent over the channel between them when it is ready, and ends when that channel does.
 */
const [port = "4111", host = "127.0.0.1"] = process.argv.slice(2);

try {
  const { urls, stop } = await serveSandboxes(Number(port), host);
  process.send?.({ ready: urls });
  const end = () => void stop().then(() => process.exit(0));
  process.once("disconnect", end);
  process.once("SIGTERM", end);
  // Ctrl-C reaches the whole group; the parent decides when its sandboxes end.
  process.on("SIGINT", () => {});
} catch (error) {
  process.send?.({ failed: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
