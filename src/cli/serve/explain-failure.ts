import { SandboxesRefused } from "../../start/sandboxes/start-sandboxes.ts";
import { CommandRefused } from "../as-operator.ts";

/** Failures of a start that the operator can do something about, as sentences. */
export function explained(error: unknown): unknown {
  if (error instanceof SandboxesRefused) return new CommandRefused(error.message);
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "EADDRINUSE") {
    return new CommandRefused(
      `${error.message.replace("listen EADDRINUSE: ", "")}. Another program, perhaps another Signalbox, listens there: stop it, or choose other ports with --port.`,
    );
  }
  if (error.code === "ENOTFOUND" || error.code === "EADDRNOTAVAIL") {
    return new CommandRefused(`SIGNALBOX_HOST (or --host) cannot be used: ${error.message}.`);
  }
  return error.code === "EACCES" ? new CommandRefused(`Not allowed: ${error.message}.`) : error;
}
