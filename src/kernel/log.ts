import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

// What must never stand in a line, whatever put it there: our keys and tokens, signing secrets, JWTs, header values.
const secretShapes =
  /\b(?:sbk|sbs)_(?:au|eu|us)_[0-9A-Za-z]+|\bwhsec_[0-9A-Za-z+/=_-]+|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|\bBearer\s+[^\s"\\]+/g;

export const scrub = (line: string): string => line.replace(secretShapes, "[secret]");

/** One structured line per event. Every line passes the scrubber on its way out, as the last of several guards. */
export function createLog(level: string, destination: DestinationStream): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: scrub } },
    destination,
  );
}

/** Lines are gathered and written together, at the latest after a quarter of a second. */
export const standardOutput = (): DestinationStream & { flushSync(): void } =>
  pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 250 });
