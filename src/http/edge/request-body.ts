import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Problem } from "../../kernel/problem.ts";
import { smallCharacters } from "../../kernel/strict-json.ts";
import { turnAlone } from "../../kernel/work-in-slices.ts";
import type { BodyBudget, Holder } from "./body-budget.ts";
import { sendContinue } from "./expect-continue.ts";

/**
 * The body of a request. Its memory is reserved when a caller reads it, and counts against the holder that it names.
 */
export interface Body<T> {
  /** The whole body, if it has arrived already; small ones arrive with their headers. */
  received(): T | null;
  /** Waits for the rest, or refuses the body with a Problem. */
  read(holder: Holder): Promise<T>;
  /** The call has ended: its memory is free again. */
  release(): void;
}

/** As text: "JSON text … MUST be encoded using UTF-8" (RFC 8259, 8.1). */
export const textOf = (request: IncomingMessage, bytesMax: number, budget: BodyBudget): Body<string> =>
  bodyOf(request, bytesMax, budget, asText);

/** Like `textOf`, as bytes. */
export const bytesOf = (request: IncomingMessage, bytesMax: number, budget: BodyBudget): Body<Buffer> =>
  bodyOf(request, bytesMax, budget, (bytes) => bytes);

function asText(bytes: Buffer): string {
  const text = bytes.toString();
  // Invalid UTF-8 becomes this character, which may also be intended.
  if (text.includes("\ufffd") && !isUtf8(bytes)) throw new Problem("malformed_request", "The body is not UTF-8.");
  return text;
}

const nothing = Buffer.alloc(0);

function bodyOf<T>(request: IncomingMessage, bytesMax: number, budget: BodyBudget, as: (bytes: Buffer) => T): Body<T> {
  let release: (() => void) | undefined;
  let refusal: unknown;
  return {
    received() {
      if (!request.complete || request.readableEnded) return null;
      const bytes = takeAll(request);
      try {
        if (bytes.length > bytesMax) throw new Problem("payload_too_large");
        return as(bytes);
      } catch (error) {
        // Thrown later, when the body is read.
        refusal = error;
        return null;
      }
    },
    async read(holder) {
      if (refusal !== undefined) throw refusal;
      release = budget.take(holder, bytesAwaited(request, bytesMax));
      sendContinue(request);
      const bytes = await receive(request, bytesMax);
      // To decode megabytes takes milliseconds, and many bodies may end at the same time.
      if (bytes.length > smallCharacters) await turnAlone();
      return as(bytes);
    },
    release: () => release?.(),
  };
}

/** The stream is paused until it is read, and buffers what the parser has passed on. It returns one chunk at a time. */
function takeAll(request: IncomingMessage): Buffer {
  const first: Buffer | null = request.read();
  if (first === null) return nothing;
  const pieces = [first];
  for (let next: Buffer | null = request.read(); next !== null; next = request.read()) pieces.push(next);
  return pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** The Content-Length, or the maximum without one. */
const bytesAwaited = ({ headers }: IncomingMessage, bytesMax: number): number => {
  const length = headers["content-length"];
  return length === undefined ? bytesMax : Math.min(Number(length), bytesMax);
};

const brokenOff = () => new Problem("malformed_request", "The body breaks off.");

function receive(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed && !request.readableEnded) return reject(brokenOff());
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) return void chunks.push(chunk);
      chunks.length = 0;
      reject(new Problem("payload_too_large"));
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on("error", () => reject(brokenOff()));
    request.on("close", () => reject(brokenOff()));
  });
}
