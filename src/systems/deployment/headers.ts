import * as z from "zod";

const allowed = new Set([
  "accept",
  "accept-language",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-unmodified-since",
  "prefer",
]);
// Names beginning with x- are free to use, but for those that servers on the way take as an order about address or verb.
const custom =
  /^x-(?!forwarded|real-|client-ip|http-|method|original|rewrite|host|proxy|vercel|now|api-key|auth|amz|goog)[a-z0-9-]+$/;
const valueShape = /^[\x20-\x7e\t]{0,4096}$/;

/** "Optional custom headers": credentials, address and framing are ours alone. */
export const headersField = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const refuse = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  if (Object.keys(headers).length > 20) refuse([], "At most 20 headers.");
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!allowed.has(lower) && !custom.test(lower)) {
      refuse(
        [name],
        `This header is not yours to set. Free are ${[...allowed].join(", ")} and names of your own that begin with x-.`,
      );
    } else if (!valueShape.test(value)) {
      refuse([name], "Write plain text without line breaks.");
    } else if (lower === "content-type" && !/^application\/json(;.*)?$/i.test(value)) {
      refuse([name], "Bodies are sent as JSON: leave this header out.");
    }
  }
});

/** As they are sent: names in lower case, and the type of the body left to whoever writes it. */
export const headersOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name !== "content-type"),
  );

const hidden = new Set([
  "set-cookie",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-encoding",
  "content-length",
]);

/** What a caller sees of an answer's headers: the limits, ids and types, never cookies or how it was carried. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name in headers) if (!hidden.has(name)) shown[name] = headers[name] as string;
  return shown;
}
