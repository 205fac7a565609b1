import { spawn } from "node:child_process";
import { terminal } from "./terminal/terminal.ts";

/** Opens a page in the person's browser, where there is one; the address was printed anyway. BROWSER names another program. */
export function openBrowser(address: string): void {
  const own = terminal().environment.BROWSER;
  const program = own || (process.platform === "darwin" ? "open" : "xdg-open");
  const child = spawn(program, [address], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
