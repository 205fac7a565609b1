import { type DestinationStream, type Logger, pino } from "pino";
import { scrub } from "./scrub-secrets.ts";

export type Log = Logger;

/** One structured line for each event. Every line passes the scrubber, as the last of several guards. */
export function createLog(level: string, destination: DestinationStream): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: scrub } },
    destination,
  );
}

/** The log line of a request: ids, words and numbers of our own, nothing that a caller wrote. */
export interface RequestLine {
  request_id: string;
  region: string;
  operation?: string;
  method?: string;
  path?: string | undefined;
  status: number;
  /** The code of the problem with which it was refused. */
  code?: string | undefined;
  ms: number;
  user_id?: string | undefined;
  key_id?: string | undefined;
  project_id?: string | undefined;
  ip: string;
  /** Where requests are traced. */
  trace_id?: string | undefined;
}

/** A mail that was not sent because there is no SMTP server, and the file where the operator reads it. */
export interface MailLine {
  region: string;
  to: string;
  kind: string;
  file: string;
}

export type RequestLog = (line: RequestLine) => void;
export type MailLog = (line: MailLine, words: () => { subject: string; text: string }) => void;

const isEnabled = (level: string): boolean => level === "info" || level === "debug";

/**
 * The same lines as the log at level info, without its overhead. There is one for each request, and nothing in it needs
 * escaping or scrubbing; the general path costs as much as a look-up of the caller's key.
 */
export function createRequestLog(level: string, destination: DestinationStream): RequestLog {
  if (!isEnabled(level)) return () => {};
  return (line) => {
    destination.write(
      `{"level":30,"time":"${timeNow()}","request_id":"${line.request_id}","region":"${line.region}"${text("operation", line.operation)}${text("method", line.method)}${text("path", line.path)},"status":${line.status}${text("code", line.code)},"ms":${line.ms}${text("user_id", line.user_id)}${text("key_id", line.key_id)}${text("project_id", line.project_id)},"ip":"${line.ip}"${text("trace_id", line.trace_id)},"msg":"request"}\n`,
    );
  };
}

const notSent = "mail not sent: SIGNALBOX_SMTP_URL is not set; it can be read in the file";

/**
 * One line for each invite, serialized as JSON and scrubbed. The text of a mail may open an account, so only level
 * debug shows it.
 */
export function createMailLog(level: string, destination: DestinationStream): MailLog {
  if (!isEnabled(level)) return () => {};
  return (line, words) => {
    const said = JSON.stringify({ ...line, msg: notSent });
    destination.write(scrub(`{"level":30,"time":"${timeNow()}",${said.slice(1)}\n`));
    if (level !== "debug") return;
    const { region, to } = line;
    const whole = JSON.stringify({ region, to, ...words(), msg: "mail (no SMTP server is configured)" });
    destination.write(scrub(`{"level":20,"time":"${timeNow()}",${whole.slice(1)}\n`));
  };
}

/** All logs of a server, at one level and to one destination. */
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
