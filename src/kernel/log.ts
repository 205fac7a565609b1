import { type DestinationStream, type Logger, pino } from "pino";
import { scrub } from "./scrub.ts";

export type Log = Logger;

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

/** A mail that no server was there to send, and the file in which the operator can read it. */
export interface MailLine {
  region: string;
  to: string;
  kind: string;
  file: string;
}

export type RequestLog = (line: RequestLine) => void;
export type MailLog = (line: MailLine, words: () => { subject: string; text: string }) => void;

const isHeard = (level: string): boolean => level === "info" || level === "debug";

/**
 * The same lines as the log's at level info, without its detours: there is one for each request, nothing in it needs
 * escaping or scrubbing, and the general way costs as much as looking up the caller's key.
 */
export function createRequestLog(level: string, destination: DestinationStream): RequestLog {
  if (!isHeard(level)) return () => {};
  return (line) => {
    destination.write(
      `{"level":30,"time":"${timeNow()}","request_id":"${line.request_id}","region":"${line.region}"${text("operation", line.operation)}${text("method", line.method)}${text("path", line.path)},"status":${line.status},"ms":${line.ms}${text("user_id", line.user_id)}${text("key_id", line.key_id)}${text("project_id", line.project_id)},"ip":"${line.ip}","msg":"request"}\n`,
    );
  };
}

const notSent = "mail not sent: SIGNALBOX_SMTP_URL is not set; it can be read in the file";

/**
 * One for each invite, so it goes the short way too: whole through JSON, then the scrubber. What a mail says may open an account:
 * whoever sets the level debug sees it, and nobody else.
 */
export function createMailLog(level: string, destination: DestinationStream): MailLog {
  if (!isHeard(level)) return () => {};
  return (line, words) => {
    const said = JSON.stringify({ ...line, msg: notSent });
    destination.write(scrub(`{"level":30,"time":"${timeNow()}",${said.slice(1)}\n`));
    if (level !== "debug") return;
    const { region, to } = line;
    const whole = JSON.stringify({ region, to, ...words(), msg: "mail (no SMTP server is configured)" });
    destination.write(scrub(`{"level":20,"time":"${timeNow()}",${whole.slice(1)}\n`));
  };
}

/** All that a server writes down, at one level and to one place. */
export interface Logs {
  log: Log;
  requestLog: RequestLog;
  mailLog: MailLog;
}

export const createLogs = (level: string, destination: DestinationStream): Logs => ({
  log: createLog(level, destination),
  requestLog: createRequestLog(level, destination),
  mailLog: createMailLog(level, destination),
});

const text = (name: string, value: string | undefined): string => (value === undefined ? "" : `,"${name}":"${value}"`);

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
