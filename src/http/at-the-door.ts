import type { IncomingMessage } from "node:http";
import { Problem } from "../kernel/problem.ts";

const jsonType = /^application\/json\s*(?:;|$)/i;

/** Size, then content type: what can be refused without reading the body or asking anyone. */
export function refuseAtTheDoor(request: IncomingMessage, bodyBytesMax: number): void {
  refuseTooLarge(request, bodyBytesMax);
  if (!jsonType.test(request.headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  refuseTwoCallers(request);
}

export function refuseTooLarge({ headers }: IncomingMessage, bodyBytesMax: number): void {
  if (Number(headers["content-length"]) > bodyBytesMax) throw new Problem("payload_too_large");
}

export function refuseTwoCallers(request: IncomingMessage): void {
  if (isRepeated(request, "authorization")) {
    throw new Problem("malformed_request", "The call carries two Authorization headers.");
  }
}

/** Node keeps the first of two such headers and drops the other silently; the raw list has both. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count > 1;
}
