import type { Line } from "../table.ts";
import { measureHelp } from "./help.ts";

/** How quickly the command line, MCP and the typed client reach the server: each line in a file of its own. */
export async function measureReach(_folder: string): Promise<Line[]> {
  return [...measureHelp()];
}
