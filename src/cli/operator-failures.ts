import { Problem, problems } from "../kernel/problem.ts";
import { SettingRefused } from "../start/settings/setting-refused.ts";
import { StoreUnavailable } from "../store/db.ts";
import { SchemaTooNew } from "../store/migrate.ts";
import { SchemaBusy } from "../store/schema/patience.ts";
import { withCommands } from "./calling/operations.ts";
import { CommandRefused, exitCodes } from "./exit-codes.ts";

/** A failure of a command that works on a store, as a refusal; null if it is none that we know. */
export function refusalOf(error: unknown): CommandRefused | null {
  if (error instanceof Problem) {
    const { status, remedy } = problems[error.code];
    const sentence = `${error.message} (${error.code})\n  ${withCommands(remedy)}`;
    const body = { status, code: error.code, detail: error.message, remedy };
    return new CommandRefused(sentence, exitCodes.refused, body);
  }
  if (error instanceof SettingRefused || error instanceof SchemaTooNew || error instanceof SchemaBusy)
    return new CommandRefused(error.message);
  if (!(error instanceof StoreUnavailable)) return null;
  const cause = error.cause instanceof Error ? error.cause.message : String(error.cause);
  return new CommandRefused(`${error.message} ${cause}`, exitCodes.unreachable);
}
