import * as z from "zod";
import { refuseHeaders } from "../../header-rules.ts";

// The platform treats these as instructions.
const platforms = /^x-(?:vercel|now|amz|goog)(?:-|$)/;

/** Documented headers of the platform that order nothing, each with the reason why it may pass. */
const harmless: Readonly<Record<string, string>> = {
  "x-vercel-digest": "the SHA-1 of an uploaded file, to check its integrity (`POST /v2/files`)",
  "x-now-digest": "the older name of the same",
  "x-now-size": "the size of an uploaded file, instead of Content-Length (`POST /v2/files`)",
  "x-vercel-cli-session-id": "groups the calls of one session in the platform's own records, as its CLI does",
  "x-vercel-cli-invocation-id": "likewise, the calls of one command",
};

const headersMax = 100;

/** "Optional custom headers": credentials, address and framing are ours alone. */
const checkedHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const refuse = (name: string, message: string) => context.addIssue({ code: "custom", path: [name], message });
  if (Object.keys(headers).length > headersMax)
    context.addIssue({ code: "custom", message: `At most ${headersMax} headers.` });
  for (const { name, why } of refuseHeaders(headers)) refuse(name, `This header is not yours to set: ${why}.`);
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (platforms.test(lower) && !Object.hasOwn(harmless, lower)) {
      const passing = Object.keys(harmless).join(", ");
      refuse(
        name,
        `This header is not yours to set: the platform reads it as an order. Of its own, these may be set: ${passing}.`,
      );
    }
    if (lower === "content-type" && !/^application\/json(;.*)?$/i.test(value)) {
      refuse(name, "Bodies are sent as JSON: leave this header out.");
    }
  }
});
export const headersField = checkedHeaders.meta({ maxProperties: headersMax });

/** As sent: names in lower case; the sender sets the content type. */
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

/** The headers of an answer that a caller sees: limits, ids and types, never cookies or transport headers. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name in headers) if (!hidden.has(name)) shown[name] = headers[name] as string;
  return shown;
}
