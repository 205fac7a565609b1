/** Eight characters that are different in each request that is sent; written over in place, so that this costs nothing. */
export const mark = "~~~~~~~~";

export interface CallToMake {
  /** POST by default. */
  method?: "GET" | "PATCH";
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** The bytes of one HTTP request, head and body. */
export function requestText({ method, path, headers, body }: CallToMake, port: number): string {
  const text = method === "GET" ? "" : JSON.stringify(body);
  const ofBody = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  const head = { host: `127.0.0.1:${port}`, ...(method === "GET" ? {} : ofBody), ...headers };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method ?? "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** A request that can be sent over and over, a different one each time where its text holds the mark. */
export interface Sendable {
  bytes: Buffer;
  markAt: number;
}

export function toSendable(text: string): Sendable {
  const bytes = Buffer.from(text, "latin1");
  return { bytes, markAt: bytes.indexOf(mark) };
}

const digits = Buffer.from("0123456789abcdef");
let made = 0;

/**
 * Each number once, and scattered: an odd multiplier maps the 32-bit numbers onto themselves. Addresses that arrived in
 * the order of the alphabet would always touch the same page of an index, which no real crowd does.
 */
export function stamp({ bytes, markAt }: Sendable): void {
  if (markAt < 0) return;
  let rest = Math.imul(++made, 0x9e3779b1) >>> 0;
  for (let i = 7; i >= 0; i--) {
    bytes[markAt + i] = digits[rest & 15] as number;
    rest >>>= 4;
  }
}
