/** Which headers a caller may set on a request that carries an account's credential. */

export interface RefusedHeader {
  name: string;
  why: string;
}

const byConnection = "it belongs to the connection, which Signalbox manages";
const byAccount = "credentials come from the connected account alone";
const byProxy = "it tells a proxy or server to read the request differently";
const bySignalbox = "Signalbox sets it itself";
const unknown = "only content negotiation, conditions, idempotency keys and names that begin with x- may be set";

/** The first rule that matches a name decides. A name without a match is refused. */
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
/** The only name with "key" in it that is no credential. */
const idempotencyKey = /^(?:x-)?idempotency-key$/;

const tokenShape = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
// Visible characters of Latin-1, spaces and tabs. CR and LF would start another header.
const valueShape = /^[\t\x20-\x7e\xa0-\xff]*$/;
const valueLengthMax = 4096;
const countMax = 32;

/** Names that a caller may not set, and values that no header can hold. Empty if all may pass. */
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
