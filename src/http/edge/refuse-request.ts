import type { IncomingMessage } from "node:http";
import { Problem } from "../../kernel/problem.ts";

const jsonType = /^application\/json\s*(?:;|$)/i;

/** A hundred headers: several times what a browser behind three proxies sends. */
const rawHeadersMax = 2 * 100;

/** Checks size, then content type: what can be refused without the body or the store. */
export function refuseEarly(request: IncomingMessage, bodyBytesMax: number): void {
  refuseTooLarge(request, bodyBytesMax);
  const repeated = refuseAmbiguous(request);
  if (!jsonType.test(request.headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  if (repeated === "authorization") throw twice("Authorization");
}

export function refuseTooLarge({ headers }: IncomingMessage, bodyBytesMax: number): void {
  if (Number(headers["content-length"]) > bodyBytesMax) throw new Problem("payload_too_large");
}

/** Like `refuseEarly`, for a protocol that checks the content type itself. */
export function refuseRepeatedAuthorization(request: IncomingMessage): void {
  if (refuseAmbiguous(request) === "authorization") throw twice("Authorization");
}

/**
 * Node keeps the first of two such headers and drops the other silently, and a proxy in front of us may have used the
 * other one. So a repeated Host or Content-Type is refused, and a repeated Authorization is reported to the caller of
 * this function. The raw list is complete only up to Node's own limit, so it must be short.
 */
export function refuseAmbiguous({ rawHeaders }: IncomingMessage): "authorization" | null {
  const { length } = rawHeaders;
  if (length > rawHeadersMax) throw new Problem("headers_too_large", "The request has more than 100 headers.");
  let hosts = 0;
  let types = 0;
  let callers = 0;
  for (let i = 0; i < length; i += 2) {
    const header = rawHeaders[i] as string;
    // Comparing lengths first excludes most names.
    if (header.length === 4) {
      if (header.toLowerCase() === "host") hosts++;
    } else if (header.length === 12) {
      if (header.toLowerCase() === "content-type") types++;
    } else if (header.length === 13 && header.toLowerCase() === "authorization") callers++;
  }
  if (hosts > 1) throw twice("Host");
  if (types > 1) throw twice("Content-Type");
  return callers > 1 ? "authorization" : null;
}

const twice = (name: string): Problem => new Problem("malformed_request", `The call carries two ${name} headers.`);

export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count > 1;
}
