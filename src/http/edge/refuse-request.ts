import type { IncomingMessage } from "node:http";
import { Problem } from "../../kernel/problem.ts";

const jsonType = /^application\/json\s*(?:;|$)/i;

/** A hundred headers: several times what a browser behind three proxies sends. */
const rawHeadersMax = 2 * 100;

/** Size, then content type: what can be refused without reading the body or asking anyone. */
export function refuseEarly(request: IncomingMessage, bodyBytesMax: number): void {
  refuseTooLarge(request, bodyBytesMax);
  const repeated = refuseAmbiguous(request);
  if (!jsonType.test(request.headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  if (repeated === "authorization") throw twice("Authorization");
}

export function refuseTooLarge({ headers }: IncomingMessage, bodyBytesMax: number): void {
  if (Number(headers["content-length"]) > bodyBytesMax) throw new Problem("payload_too_large");
}

/** The same for a protocol that looks at the type of the body by itself. */
export function refuseTwoCallers(request: IncomingMessage): void {
  if (refuseAmbiguous(request) === "authorization") throw twice("Authorization");
}

/**
 * Node keeps the first of two such headers and drops the other silently, and a proxy before us may have gone by the other one:
 * two that say where a call goes, or what it is, are refused, and the caller's own are answered for whoever asks for them. The
 * raw list has all of them, as long as it is not longer than Node's own; so it has to be short.
 */
export function refuseAmbiguous({ rawHeaders }: IncomingMessage): "authorization" | null {
  const { length } = rawHeaders;
  if (length > rawHeadersMax) throw new Problem("headers_too_large", "The request has more than 100 headers.");
  let hosts = 0;
  let types = 0;
  let callers = 0;
  for (let i = 0; i < length; i += 2) {
    const header = rawHeaders[i] as string;
    // Most names are told apart by their length alone.
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
