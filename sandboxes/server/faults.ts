import { validateHeaderName, validateHeaderValue } from "node:http";

/** A failure ordered through the control API: the next `times` matching calls fail so. */
export interface Fault {
  match: { method?: string; path?: string };
  times: number;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  delay_ms?: number;
  /** With `status` or `body`: the call is carried out before it is answered so. */
  applied?: boolean;
  /** "before": the connection is cut and nothing happens. "after": the call is carried out, then the connection is cut. */
  drop?: "before" | "after";
  /** With `drop: "after"`: half of the answer is sent before that. */
  half?: boolean;
}

/** A fault that waits for calls, with the id by which it is taken back. */
export type WaitingFault = Fault & { fault_id: string };

export interface Faults {
  add(fault: Fault): WaitingFault;
  list(): WaitingFault[];
  /** False: it is not there, or not any more. */
  remove(faultId: string): boolean;
  /** The fault for this call, counted down, or null. */
  take(method: string, path: string): Fault | null;
  clear(): void;
}

export function createFaults(): Faults {
  let faults: WaitingFault[] = [];
  let added = 0;
  return {
    add(fault) {
      added += 1;
      const waiting = { ...fault, fault_id: String(added) };
      faults.push(waiting);
      return { ...waiting };
    },
    list: () => faults.map((fault) => ({ ...fault })),
    remove(faultId) {
      const before = faults.length;
      faults = faults.filter(({ fault_id }) => fault_id !== faultId);
      return faults.length < before;
    },
    take(method, path) {
      if (faults.length === 0) return null;
      const fault = faults.find(
        ({ match }) =>
          (match.method === undefined || match.method.toUpperCase() === method) &&
          (match.path === undefined || match.path === path),
      );
      if (!fault) return null;
      fault.times--;
      if (fault.times <= 0) faults = faults.filter((each) => each !== fault);
      return fault;
    },
    clear() {
      faults = [];
    },
  };
}

/** Reads what was posted to the control API, or answers the sentence that says what is wrong with it. */
export function readFault(value: unknown): Fault | string {
  if (!isObject(value)) return "A fault is a JSON object.";
  const { match = {}, times = 1, status, headers, body, delay_ms, applied, drop, half } = value;
  if (!isObject(match)) return "`match` is an object with `method` and `path`.";
  for (const [name, wanted] of Object.entries(match)) {
    // A misspelt `path` would otherwise match every call.
    if (name !== "method" && name !== "path") return `\`match\` has \`method\` and \`path\`, and no \`${name}\`.`;
    if (typeof wanted !== "string") return `\`match.${name}\` is a string.`;
  }
  if (!Number.isInteger(times) || (times as number) < 1) return "`times` is a whole number, 1 or more.";
  // Below 200 an answer has not ended, and the caller would wait for the rest of it.
  if (status !== undefined && !(Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599)) {
    return "`status` is a number from 200 to 599.";
  }
  if (headers !== undefined && !areHeaders(headers)) return "`headers` is an object of strings that HTTP can carry.";
  if (delay_ms !== undefined && !(typeof delay_ms === "number" && delay_ms >= 0))
    return "`delay_ms` is a number, 0 or more.";
  if (applied !== undefined && !(applied === true && (status !== undefined || body !== undefined)))
    return "`applied` is true, beside `status` or `body`.";
  if (drop !== undefined && drop !== "before" && drop !== "after") return '`drop` is "before" or "after".';
  if (half !== undefined && !(half === true && drop === "after")) return '`half` is true, beside `drop: "after"`.';
  if ([status, headers, body, delay_ms, drop].every((part) => part === undefined)) {
    return "A fault needs `status`, `headers`, `body`, `delay_ms` or `drop`.";
  }
  return { match, times, status, headers, body, delay_ms, applied, drop, half } as Fault;
}

function areHeaders(value: unknown): boolean {
  if (!isObject(value)) return false;
  try {
    for (const [name, text] of Object.entries(value)) {
      if (typeof text !== "string") return false;
      validateHeaderName(name);
      validateHeaderValue(name, text);
    }
    return true;
  } catch {
    return false;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
