import type { Dispatcher, Pool } from "undici";
import { batchByTurn } from "../kernel/batch-by-turn.ts";
import { describeFailure } from "./describe-failure.ts";
import { largeBytes } from "./memory-of-large-answers.ts";
import { SendFailed, type SendFailure, TooLate } from "./send-failed.ts";

/** Sends one request over one connection and collects the raw answer. */

export interface WireRequest {
  method: string;
  target: string;
  headers: string[];
  body: string | null;
  totalMilliseconds: number;
  headersMilliseconds: number;
  bodyIdleMilliseconds: number;
  bytesMax: number;
  /** Only status and headers are needed; the body may be of any type and size. */
  isHeadersOnly?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Called once if the answer turns out to be large, with the bytes that it may have. No more of it is read until the
   * promise resolves. That time does not count; if the promise rejects, so does the call.
   */
  onLarge?: ((bytes: number) => Promise<void> | null) | undefined;
  /** Called last: the connection is open and nothing is written yet. */
  mayBegin?: (() => boolean) | undefined;
}

export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As sent, so perhaps compressed. */
  body: Buffer;
}

// `request` of undici builds on `dispatch`. `dispatch` costs less and reports the moment before the first byte is
// written. That moment separates a write that may be retried from one with an unknown outcome.
export const sendRequest = (pool: Pool, request: WireRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { method, target: path, headers, body, signal } = request;
    if (signal?.aborted) {
      reject(new SendFailed("cut off", "no", "The call was cancelled before it was sent.", { cause: signal.reason }));
      return;
    }
    const { headersMilliseconds: headersTimeout, bodyIdleMilliseconds: bodyTimeout } = request;
    const handler = new PendingRequest(request, resolve, reject);
    pool.dispatch({ method, path, headers, body, headersTimeout, bodyTimeout }, handler);
  });

/** Chunks are merged at this number: ten million chunks of one byte must not become ten million buffers. */
const chunksMax = 1024;
const nothing = Buffer.alloc(0);
const restBytesMax = 64 * 1024;
const restMilliseconds = 1000;
const resolveInBatch = batchByTurn((pending: PendingRequest) => pending.complete());

class PendingRequest implements Dispatcher.DispatchHandler {
  readonly #bytesMax: number;
  readonly #isHeadersOnly: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #mayBegin: (() => boolean) | undefined;
  #onLarge: WireRequest["onLarge"];
  readonly #resolve: (received: RawAnswer) => void;
  readonly #reject: (failure: SendFailed) => void;
  readonly #totalMilliseconds: number;
  #timer: NodeJS.Timeout;
  #hasWaited = false;
  #controller: Dispatcher.DispatchController | null = null;
  #over = false;
  #status = 0;
  #headers: RawAnswer["headers"] = {};
  #gathered: Buffer[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  #body: Buffer = nothing;
  #rest: NodeJS.Timeout | undefined;

  constructor(request: WireRequest, resolve: (received: RawAnswer) => void, reject: (failure: SendFailed) => void) {
    this.#bytesMax = request.bytesMax;
    this.#isHeadersOnly = request.isHeadersOnly === true;
    this.#signal = request.signal;
    this.#mayBegin = request.mayBegin;
    this.#onLarge = request.onLarge;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#totalMilliseconds = request.totalMilliseconds;
    this.#timer = setTimeout(expire, this.#totalMilliseconds, this);
    this.#signal?.addEventListener("abort", this.#onSignal);
  }

  /** The connection is open and nothing is written yet. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A client that loses its connection may try to write again. The transport cannot decide whether that is safe.
    if (this.#controller) this.fail("cut off", "The connection broke, and the request was not sent again.");
    else if (this.#mayBegin?.() === false && this.#finish()) this.#reject(new TooLate());
    if (this.#over) controller.abort(new Error("given up before it began"));
    else this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: RawAnswer["headers"]): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (!this.#isHeadersOnly || !this.#finish()) return;
    // A short body is read to its end, so that the connection can be reused.
    this.#rest = setTimeout(
      () => controller.abort(new Error("the rest of the body is not needed")),
      restMilliseconds,
    ).unref();
    resolveInBatch(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#over) {
      if (this.#bytes > restBytesMax) controller.abort(new Error("the rest of the body is not needed"));
      return;
    }
    if (this.#bytes > this.#bytesMax) {
      controller.abort(this.fail("too large", `The response is larger than ${this.#bytesMax} bytes.`));
      return;
    }
    this.#chunks.push(chunk);
    if (this.#bytes > largeBytes && this.#onLarge) this.#waitForRoom(controller, this.#onLarge);
    if (this.#chunks.length < chunksMax) return;
    this.#gathered.push(Buffer.concat(this.#chunks));
    this.#chunks = [];
  }

  #waitForRoom(controller: Dispatcher.DispatchController, onLarge: NonNullable<WireRequest["onLarge"]>): void {
    this.#onLarge = undefined;
    const announced = Number(this.#headers["content-length"]);
    // All of it is here. A paused connection that the system closes now would look broken.
    if (announced === this.#bytes) return;
    const room = onLarge(announced > 0 ? Math.min(announced, this.#bytesMax) : this.#bytesMax);
    if (!room) return;
    controller.pause();
    clearTimeout(this.#timer);
    this.#hasWaited = true;
    room.then(
      () => {
        if (this.#over) return;
        this.#timer = setTimeout(expire, this.#totalMilliseconds, this);
        controller.resume();
      },
      ({ reason, message, cause }: SendFailed) => this.giveUp(reason, message, cause),
    );
  }

  onResponseEnd(): void {
    clearTimeout(this.#rest);
    if (!this.#finish()) return;
    const parts = this.#gathered.length === 0 ? this.#chunks : [...this.#gathered, ...this.#chunks];
    const [only] = parts;
    this.#body = parts.length === 1 && only ? only : Buffer.concat(parts);
    resolveInBatch(this);
  }

  complete(): void {
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    clearTimeout(this.#rest);
    const stage = this.#controller === null ? "not sent" : this.#status === 0 ? "sent" : "answer begun";
    const [reason, message] = describeFailure(error, stage);
    this.fail(reason, message, error);
  }

  fail(reason: SendFailure, message: string, cause?: unknown): SendFailed {
    // The system did not wait as long as we did. To send the request again would not help, and might do its work twice.
    const known = this.#hasWaited && isPassing.has(reason) ? "too large" : reason;
    const failure = new SendFailed(known, this.#controller ? "maybe" : "no", message, { cause });
    if (this.#finish()) this.#reject(failure);
    return failure;
  }

  /** Stops the request at any stage. A request that still waits for a connection stops when it would start. */
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

  #onSignal = (): void =>
    this.giveUp("cut off", "The call was cancelled before its response came.", this.#signal?.reason);
}

const isPassing: ReadonlySet<SendFailure> = new Set(["cut off", "timed out"]);

const expire = (pending: PendingRequest): void => pending.giveUp("timed out", "The system took too long to respond.");
