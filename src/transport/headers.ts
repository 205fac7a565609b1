/** Which headers go on the wire, and which of an answer are kept. What callers may set is said in `systems/header-rules.ts`. */

// The names that would change where one request ends and the next begins, or who it is for. Nobody in Signalbox has a
// reason to set them, so they stop a request whoever did.
const neverSent = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "te",
  "upgrade",
  "expect",
  "cookie",
]);

/** As they go on the wire, names and values in turn, ours last; null where one of them must never be sent. */
export function sentHeaders(headers: Readonly<Record<string, string>>): string[] | null {
  const list: string[] = [];
  for (const name in headers) {
    const lower = name.toLowerCase();
    if (neverSent.has(lower)) return null;
    if (lower === "accept-encoding" || lower === "user-agent") continue;
    list.push(lower, headers[name] as string);
  }
  list.push("accept-encoding", "gzip, br", "user-agent", "signalbox");
  return list;
}

// Cookies are credentials of the account; the others describe the bytes on the wire, which are not those handed on.
const neverKept = new Set([
  ...[
    "set-cookie",
    "set-cookie2",
    "connection",
    "keep-alive",
    "transfer-encoding",
    "content-length",
    "content-encoding",
  ],
  ...["trailer", "upgrade", "proxy-authenticate", "proxy-connection", "alt-svc", "__proto__"],
]);
const keptMax = 100;

/** What is kept of an answer's headers: names in lower case, repeated ones joined. The parser bounds them to 16 KiB in all. */
export function keptHeaders(received: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  let count = 0;
  for (const name in received) {
    const value = received[name];
    if (value === undefined || neverKept.has(name)) continue;
    if (++count > keptMax) break;
    kept[name] = typeof value === "string" ? value : value.join(", ");
  }
  return kept;
}
