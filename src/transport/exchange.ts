import type { Dispatcher, Pool } from "undici";
import { together } from "../kernel/together.ts";
import { AddressBlocked } from "./address-guard.ts";
import { SendFailed, type SendFailure, TooLate } from "./send-failed.ts";

/** One request over one connection, and what came back as it came. */

export interface Question {
  method: string;
  target: string;
  headers: string[];
  body: string | null;
  totalMilliseconds: number;
  headersMilliseconds: number;
  bodyIdleMilliseconds: number;
  bytesMax: number;
  /** The answer's status and headers are all that is wanted; the rest may be of any kind and size. */
  isHeadEnough?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Told once, when the answer turns out to be large: it may be made to wait, by the controller, before more of it is read. */
  onLarge?: ((controller: Dispatcher.DispatchController) => void) | undefined;
  /** Asked last, when the connection is there and nothing is written yet. */
  mayBegin?: (() => boolean) | undefined;
}

export interface Received {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent, so perhaps compressed. */
  body: Buffer;
}

// `dispatch` is what `request` stands on. It costs less, and it tells the moment before the first byte is written, which
// is the difference between a write that may be sent again and one whose outcome is unknown.
export const exchange = (pool: Pool, question: Question): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { method, target: path, headers, body, signal } = question;
    if (signal?.aborted) {
      reject(new SendFailed("cut off", "no", "The call was given up before it was sent.", { cause: signal.reason }));
      return;
    }
    const { headersMilliseconds: headersTimeout, bodyIdleMilliseconds: bodyTimeout } = question;
    const handler = new Exchange(question, resolve, reject);
    pool.dispatch({ method, path, headers, body, headersTimeout, bodyTimeout }, handler);
  });

/** Chunks are gathered in this number: ten million chunks of one byte must not become ten million buffers. */
const chunksMax = 1024;
const nothing = Buffer.alloc(0);
/** Above this an answer is a large one, of which a tenant has only some at a time. */
const largeBytes = 256 * 1024;
const restBytesMax = 64 * 1024;
const restMilliseconds = 1000;
const goOnTogether = together((exchange: Exchange) => exchange.handOver());

class Exchange implements Dispatcher.DispatchHandler {
  readonly #bytesMax: number;
  readonly #isHeadEnough: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #mayBegin: (() => boolean) | undefined;
  #onLarge: Question["onLarge"];
  readonly #resolve: (received: Received) => void;
  readonly #reject: (failure: SendFailed) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #over = false;
  #status = 0;
  #headers: Received["headers"] = {};
  #gathered: Buffer[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  #body: Buffer = nothing;
  #rest: NodeJS.Timeout | undefined;

  constructor(question: Question, resolve: (received: Received) => void, reject: (failure: SendFailed) => void) {
    this.#bytesMax = question.bytesMax;
    this.#isHeadEnough = question.isHeadEnough === true;
    this.#signal = question.signal;
    this.#mayBegin = question.mayBegin;
    this.#onLarge = question.onLarge;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(expire, question.totalMilliseconds, this);
    this.#signal?.addEventListener("abort", this.#onSignal);
  }

  /** Called when a connection is there and nothing is written yet. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A client that loses its connection may ask to write again. Whether that is safe is not for the transport to decide.
    if (this.#controller) this.fail("cut off", "The connection broke, and the request was not sent again.");
    else if (this.#mayBegin?.() === false && this.#finish()) this.#reject(new TooLate());
    if (this.#over) controller.abort(new Error("given up before it began"));
    else this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Received["headers"]): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (!this.#isHeadEnough || !this.#finish()) return;
    // A short rest is let go by, so that the connection can be used again.
    this.#rest = setTimeout(() => controller.abort(new Error("nobody wants the rest")), restMilliseconds).unref();
    goOnTogether(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#over) {
      if (this.#bytes > restBytesMax) controller.abort(new Error("nobody wants the rest"));
      return;
    }
    if (this.#bytes > this.#bytesMax) {
      controller.abort(this.fail("too large", `The answer is larger than ${this.#bytesMax} bytes.`));
      return;
    }
    this.#chunks.push(chunk);
    if (this.#bytes > largeBytes && this.#onLarge) {
      this.#onLarge(controller);
      this.#onLarge = undefined;
    }
    if (this.#chunks.length < chunksMax) return;
    this.#gathered.push(Buffer.concat(this.#chunks));
    this.#chunks = [];
  }

  onResponseEnd(): void {
    clearTimeout(this.#rest);
    if (!this.#finish()) return;
    const parts = this.#gathered.length === 0 ? this.#chunks : [...this.#gathered, ...this.#chunks];
    const [only] = parts;
    this.#body = parts.length === 1 && only ? only : Buffer.concat(parts);
    goOnTogether(this);
  }

  handOver(): void {
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    clearTimeout(this.#rest);
    const [reason, message] = describe(error, this.#controller !== null);
    this.fail(reason, message, error);
  }

  fail(reason: SendFailure, message: string, cause?: unknown): SendFailed {
    const failure = new SendFailed(reason, this.#controller ? "maybe" : "no", message, { cause });
    if (this.#finish()) this.#reject(failure);
    return failure;
  }

  /** Stops the request wherever it is. One that still waits for a connection is stopped when it would begin. */
  giveUp(reason: SendFailure, message: string, cause?: unknown): void {
    const failure = this.fail(reason, message, cause);
    this.#controller?.abort(failure);
  }

  /** True the first time. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onSignal);
    return true;
  }

  #onSignal = (): void => this.giveUp("cut off", "The call was given up before its answer came.", this.#signal?.reason);
}

const expire = (exchange: Exchange): void => exchange.giveUp("timed out", "The system took too long to answer.");

/** What a failed connection or a broken answer means. */
function describe(error: Error & { code?: string }, begun: boolean): [SendFailure, string] {
  const code = error.code ?? error.name;
  if (error instanceof AddressBlocked) return ["blocked", error.message];
  if (code === "UND_ERR_INVALID_ARG") return ["blocked", `The request cannot be sent: ${error.message}.`];
  if (!begun) return ["unreachable", `The system cannot be reached (${code}).`];
  if (code === "UND_ERR_HEADERS_TIMEOUT") return ["timed out", "The system took too long to begin its answer."];
  if (code === "UND_ERR_BODY_TIMEOUT") return ["timed out", "The system stopped in the middle of its answer."];
  if (code === "UND_ERR_HEADERS_OVERFLOW") return ["too large", "The headers of the answer are too large."];
  // The parser also complains when an answer ends too early, and that is a broken connection.
  if (error.name === "HTTPParserError" && !error.message.includes("EOF"))
    return ["unreadable", `The answer is not valid HTTP (${code}).`];
  return ["cut off", `The connection broke before the answer was complete (${code}).`];
}
