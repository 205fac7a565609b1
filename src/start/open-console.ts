import { type ConsoleFile, readConsole } from "../http/console/console-files.ts";
import type { Log } from "../kernel/log.ts";
import { ensureConsole } from "./build-console.ts";

/** Without a console the API still works, so a failed build is logged and the start goes on. */
export async function openConsole(log: Log): Promise<Map<string, ConsoleFile> | null> {
  try {
    return readConsole(
      await ensureConsole(() => log.info("building the console, once after each change of its sources")),
    );
  } catch (error) {
    log.error(
      { err: error },
      "the console cannot be served: its build failed. Run `signalbox build` as the owner of the program's folder, then restart",
    );
    return null;
  }
}
