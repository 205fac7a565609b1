/** Which headers are sent, and which of an answer are kept. `systems/header-rules.ts` says what callers may set. */

// These headers change where a request ends or which server it is for. Nothing in Signalbox needs to set them, so they
// always stop a request.
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

/** Names and values in turn, ours last; null if one of them must never be sent. */
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

// Cookies are credentials of the account. The others describe the bytes on the wire, not the body that we return.
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

/**
 * Returns the headers that are kept: names in lower case, repeated ones joined. The parser limits them to 16 KiB in
 * all.
 */
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
