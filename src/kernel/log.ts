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

/** What is said of each request. Ids, words and numbers of our own making: nothing a caller wrote. */
export interface RequestLine {
  request_id: string;
  region: string;
  operation?: string;
  method?: string;
  path?: string | undefined;
  status: number;
  ms: number;
  user_id?: string | undefined;
  key_id?: string | undefined;
  project_id?: string | undefined;
  ip: string;
}

export type RequestLog = (line: RequestLine) => void;

/**
 * The same lines as the log's at level info, without its detours: there is one for each request, nothing in it needs
 * escaping or scrubbing, and the general way costs as much as looking up the caller's key. Lines of one turn of the event
 * loop are handed over together.
 */
export function createRequestLog(level: string, destination: DestinationStream): RequestLog {
  if (level !== "info" && level !== "debug") return () => {};
  let gathered = "";
  const handOver = () => {
    destination.write(gathered);
    gathered = "";
  };
  return (line) => {
    if (gathered === "") setImmediate(handOver);
    gathered += `{"level":30,"time":"${timeNow()}"${membersOf(line)},"msg":"request"}\n`;
  };
}

function membersOf(line: RequestLine): string {
  let members = "";
  for (const name in line) {
    const value = line[name as keyof RequestLine];
    if (value !== undefined) members += typeof value === "number" ? `,"${name}":${value}` : `,"${name}":"${value}"`;
  }
  return members;
}

let lastMillisecond = 0;
let lastText = "";

function timeNow(): string {
  const now = Date.now();
  if (now !== lastMillisecond) {
    lastMillisecond = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}

/** Lines are gathered and written together, at the latest after a quarter of a second. */
export const standardOutput = (): DestinationStream & { flushSync(): void } =>
  pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 250 });
