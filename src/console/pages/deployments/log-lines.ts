import { membersOf, numberOf, textOf } from "./read-deployment.ts";

export interface LogLine {
  key: string;
  at: number | null;
  text: string;
  kind: "command" | "error" | "text";
}

const printed = ["command", "stdout", "stderr", "fatal"];

/** The lines of a build, oldest first. Events come as a list or as lines of JSON, flat or under `payload`. */
export function linesOf(body: unknown): LogLine[] {
  const events = Array.isArray(body) ? body : typeof body === "string" ? fromLines(body) : [];
  return events
    .flatMap((event, index) => {
      const outer = membersOf(event);
      const inner = { ...outer, ...membersOf(outer.payload) };
      const [type, text] = [textOf(outer.type) ?? "", textOf(inner.text)];
      if (text === null || !printed.includes(type)) return [];
      const key = textOf(inner.serial) ?? textOf(inner.id) ?? String(index);
      const isError = type === "stderr" || type === "fatal" || inner.level === "error";
      const kind: LogLine["kind"] = isError ? "error" : type === "command" ? "command" : "text";
      return [{ key: `${key} ${index}`, at: numberOf(inner.date) ?? numberOf(outer.created), text: plain(text), kind }];
    })
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Without the sequences that colour a terminal. */
function plain(text: string): string {
  const [first = "", ...rest] = text.split("\u001b[");
  return [first, ...rest.map((part) => part.replace(/^[\d;]*[A-Za-z]/, ""))].join("").trimEnd();
}

function fromLines(text: string): unknown[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line.trim() === "" ? [] : [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
}
