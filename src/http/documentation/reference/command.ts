import type { Operation } from "../../../calls/define.ts";
import { shortPath } from "../parts.ts";

/** The command of an operation, where the command line has one. */
export const commandOf = (operation: Operation): string | null => commands[shortPath(operation)] ?? null;

const commands: Record<string, string> = {
  "steps/list": "./signalbox steps list",
  "steps/{step_id}/run": "./signalbox steps run list_deployments --connection <connection_id> --input '{\"limit\":5}'",
  "tools/list": "./signalbox tools list",
  "runs/list": "./signalbox runs list",
};
