import { connect, type Socket } from "node:net";
import { type Sendable, stamp } from "./requests.ts";

const chunkBytesMax = 64 * 1024;
const contentLength = /\r\ncontent-length: (\d+)/i;
const chunked = /\r\ntransfer-encoding: chunked/i;
const lastChunk = "0\r\n\r\n";

/** One keep-alive connection that sends its requests in turn, the next as soon as the answer before is whole. */
export class Connection {
  answered = 0;
  readonly #socket: Socket;
  readonly #requests: Sendable[];
  readonly #fail: (reason: string) => void;
  #turn = 0;
  readonly #took: (milliseconds: number) => void;
  #sentAt = 0;
  #unread = "";
  #sending = true;

  constructor(
    port: number,
    requests: Sendable[],
    fail: (reason: string) => void,
    took: (milliseconds: number) => void,
  ) {
    this.#took = took;
    this.#requests = requests;
    this.#fail = fail;
    // One buffer for all that is read: what costs the load least leaves the server the busiest.
    const buffer = Buffer.allocUnsafe(chunkBytesMax);
    const callback = (bytes: number): boolean => {
      this.#read(buffer.toString("latin1", 0, bytes));
      return true;
    };
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer, callback } }, () =>
      this.#send(),
    );
    this.#socket.on("error", (error) => this.#fail(error.message));
    this.#socket.on("close", () => this.#sending && this.#fail("The server closed a connection."));
  }

  stop(): void {
    this.#sending = false;
    this.#socket.destroy();
  }

  #send(): void {
    const request = this.#requests[this.#turn++ % this.#requests.length] as Sendable;
    stamp(request);
    this.#sentAt = performance.now();
    this.#socket.write(request.bytes);
  }

  #read(text: string): void {
    const answer = this.#unread === "" ? text : this.#unread + text;
    const length = lengthOf(answer);
    if (length === null || answer.length < length) {
      this.#unread = answer;
      return;
    }
    this.#unread = "";
    // An answer that is not a success would be cheaper than the work it stands for: it ends the whole run.
    if (answer.charCodeAt(9) !== 50) {
      this.#sending = false;
      this.#fail(`Answered ${answer.slice(0, 600)}`);
      return;
    }
    this.answered++;
    this.#took(performance.now() - this.#sentAt);
    if (this.#sending) this.#send();
  }
}

/** How long the answer is that begins here, or null while that is not known. Without pipelining none follows it. */
function lengthOf(answer: string): number | null {
  const headEnd = answer.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const length = contentLength.exec(answer)?.[1];
  if (length !== undefined) return headEnd + 4 + Number(length);
  if (!chunked.test(answer)) return headEnd + 4;
  return answer.endsWith(lastChunk) ? answer.length : null;
}
