import type { Plan } from "../rounds/compare.ts";
import type { Line } from "../rounds/table.ts";
import { measureClient } from "./client.ts";
import { measureHelp } from "./help.ts";
import { measureMcp } from "./mcp.ts";

/** How quickly the command line, MCP and the typed client reach the server: each line in a file of its own. */
export async function measureReach(folder: string, plan: Plan): Promise<Line[]> {
  return [...measureHelp(), ...(await measureMcp(folder, plan)), ...(await measureClient(folder))];
}
