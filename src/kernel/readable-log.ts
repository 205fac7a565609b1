import { stripVTControlCharacters } from "node:util";

interface Destination {
  write(lines: string): void;
}

type Line = Record<string, unknown>;

const levels: Record<number, [name: string, color: number]> = {
  10: ["TRACE", 90],
  20: ["DEBUG", 90],
  30: ["INFO", 32],
  40: ["WARN", 33],
  50: ["ERROR", 31],
  60: ["FATAL", 31],
};

/** Shown in their own places, or of no use to a person at a terminal. */
const placed = new Set(["level", "time", "msg", "err", "status", "code", "ms", "operation", "method", "path", "ip"]);

/** Turns the JSON lines of the log into lines for people. For a terminal: it parses every line. */
export const readableLines = (destination: Destination, isColored: boolean): Destination => ({
  write(lines) {
    const text = lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => readable(line, isColored))
      .join("");
    destination.write(text);
  },
});

function readable(json: string, isColored: boolean): string {
  const line = parse(json);
  if (!line) return `${json}\n`;
  const paint = (text: string, color: number): string => (isColored ? `\u001b[${color}m${text}\u001b[0m` : text);
  const [level, color] = levels[Number(line.level)] ?? ["INFO", 32];
  const time = String(line.time).slice(11, 23);
  const head = `${paint(time, 90)} ${paint(level.padEnd(5), color)} `;
  const rest = Object.entries(line)
    .filter(([name, value]) => !placed.has(name) && value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${shown(value)}`)
    .join(" ");
  return `${head}${line.msg === "request" ? requestOf(line, paint) : shown(line.msg)}${rest && ` ${paint(rest, 90)}`}\n${errorOf(line.err)}`;
}

function requestOf(line: Line, paint: (text: string, color: number) => string): string {
  const status = Number(line.status);
  const color = status >= 500 ? 31 : status >= 400 ? 33 : 32;
  const what = line.operation ?? `${line.method} ${line.path ?? "(unknown path)"}`;
  const code = line.code === undefined ? "" : ` ${paint(String(line.code), color)}`;
  return `${paint(String(status), color)} ${shown(what)}${code} ${line.ms} ms`;
}

/** Message, stack and causes, each line indented. */
function errorOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  const text = clean(String(stack ?? message ?? ""));
  return text.replace(/^/gm, "    ").concat("\n");
}

/** A value may hold text of a caller, which must not control the terminal. */
const shown = (value: unknown): string => clean(typeof value === "string" ? value : JSON.stringify(value));

const clean = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  stripVTControlCharacters(text).replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, " ");

function parse(json: string): Line | null {
  try {
    const line: unknown = JSON.parse(json);
    return typeof line === "object" && line !== null ? (line as Line) : null;
  } catch {
    // A line that is not ours is printed as it is.
    return null;
  }
}
