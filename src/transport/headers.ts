/** Which headers may pass, in both directions. */

export interface RefusedHeader {
  name: string;
  why: string;
}

const byConnection = "it belongs to the connection, which Signalbox manages";
const byAccount = "credentials come from the connected account alone";
const byProxy = "it tells a proxy or server to read the request differently";
const bySignalbox = "Signalbox sets it itself";
const unknown = "only content negotiation, conditions, idempotency keys and names that begin with x- may be set";

/** The first rule that fits a name decides. What fits none is refused. */
const rules: readonly (readonly [RegExp, string | null])[] = [
  [
    /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|content-length|upgrade|expect|http2-settings)$/,
    byConnection,
  ],
  [
    /(?:^|-)(?:authorization|authentication|auth|cookies?|cookie2|tokens?|secret|password|api-?key|key|session|credentials?|signature)(?:-|$)/,
    byAccount,
  ],
  [
    /^(?:proxy-|sec-|forwarded$|via$|max-forwards$|x-forwarded|x-original-|x-rewrite-|x-real-ip$|x-host$|x-http-|x-method-)/,
    byProxy,
  ],
  [
    /^x-(?:client|cluster-client|remote|originating|envoy|proxy|url|uri|path|override|accel|sendfile|real)(?:-|$)/,
    byProxy,
  ],
  [/^(?:accept-encoding|user-agent|x-signalbox-.*)$/, bySignalbox],
  [
    /^(?:accept|accept-language|content-type|content-language|cache-control|prefer|if-match|if-none-match|if-modified-since|if-unmodified-since)$/,
    null,
  ],
  [/^x-[a-z0-9][a-z0-9-]*$/, null],
];
/** The one name with "key" in it that is no credential. */
const idempotencyKey = /^(?:x-)?idempotency-key$/;

const tokenShape = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
// Visible characters of Latin-1, spaces and tabs. CR and LF would begin a header of the caller's own.
const valueShape = /^[\t\x20-\x7e\xa0-\xff]*$/;
const valueLengthMax = 4096;
const countMax = 32;

/** Names that a caller may not set, and values that no header can hold. Empty where all may pass. */
export function refuseHeaders(headers: Readonly<Record<string, unknown>>): RefusedHeader[] {
  const names = Object.keys(headers);
  if (names.length > countMax) return [{ name: names[countMax] ?? "", why: `there are more than ${countMax}` }];
  const seen = new Set<string>();
  const refused: RefusedHeader[] = [];
  for (const name of names) {
    const lower = name.toLowerCase();
    const why = seen.has(lower) ? "it is there twice" : (refuseName(lower) ?? refuseValue(headers[name]));
    seen.add(lower);
    if (why) refused.push({ name, why });
  }
  return refused;
}

function refuseName(name: string): string | null {
  if (!tokenShape.test(name)) return "it is no name of a header";
  if (idempotencyKey.test(name)) return null;
  const rule = rules.find(([shape]) => shape.test(name));
  return rule ? rule[1] : unknown;
}

function refuseValue(value: unknown): string | null {
  if (typeof value !== "string") return "its value is not a text";
  if (value.length > valueLengthMax) return `its value is longer than ${valueLengthMax} characters`;
  if (!valueShape.test(value)) return "its value holds line breaks, control characters or letters outside of Latin-1";
  return null;
}

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
