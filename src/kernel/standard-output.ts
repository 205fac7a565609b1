import { fstatSync, write, writeSync } from "node:fs";

/** A destination for whole lines. */
export interface LineOutput {
  write(lines: string): void;
  /**
   * For a process that ends: everything is written when this returns. Lines under way at this moment may appear twice.
   */
  flushSync(): void;
}

const gatherCharacters = 64_000;
const gatherMilliseconds = 250;
const retryMilliseconds = 10;
/** Linux writes this many bytes into a pipe without those of another process between them (PIPE_BUF). */
const wholeBytes = 4096;

/**
 * Collects lines and writes them together, within a quarter of a second, without blocking the event loop: a reader that
 * stalls costs memory, not responses. The usual library measures everything it has collected with each new line; at
 * thousands of lines a second that was a tenth of the server's time (npm run bench -- calls). Where other processes write
 * to the same pipe or socket, each write is small enough to stay whole.
 */
export function gatherLines(file: number, isShared = false): LineOutput {
  const pieceMax = isShared && !fstatSync(file).isFile() ? wholeBytes : Number.POSITIVE_INFINITY;
  let gathered = "";
  let timer: NodeJS.Timeout | null = null;
  let inFlight: Buffer | null = null;

  function flush(): void {
    timer = null;
    if (inFlight || gathered === "") return;
    inFlight = Buffer.from(gathered);
    gathered = "";
    send();
  }

  function send(): void {
    const part = inFlight as Buffer;
    write(file, wholeLines(part, pieceMax), (error, bytes) => {
      if (inFlight !== part) return; // flushSync has taken it over.
      // EAGAIN: the pipe is full. Any other error: no reader will ever see these lines, and there is no other output.
      if (error?.code === "EAGAIN") {
        setTimeout(() => inFlight === part && send(), retryMilliseconds);
        return;
      }
      const rest = error ? null : part.subarray(bytes);
      inFlight = rest && rest.length > 0 ? rest : null;
      if (inFlight) send();
      else if (gathered.length >= gatherCharacters) flush();
      else if (gathered !== "") schedule();
    });
  }

  function schedule(): void {
    timer ??= setTimeout(flush, gatherMilliseconds);
    timer.unref();
  }

  return {
    write(lines) {
      gathered += lines;
      if (gathered.length >= gatherCharacters) flush();
      else if (!inFlight) schedule();
    },
    flushSync() {
      let rest = Buffer.concat([inFlight ?? Buffer.alloc(0), Buffer.from(gathered)]);
      inFlight = null;
      gathered = "";
      while (rest.length > 0) {
        try {
          rest = rest.subarray(writeSync(file, wholeLines(rest, pieceMax)));
        } catch (error) {
          if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMilliseconds);
        }
      }
    },
  };
}

/** The first lines that fit, or the first line if it is longer. */
function wholeLines(text: Buffer, bytesMax: number): Buffer {
  if (text.length <= bytesMax) return text;
  const newline = 10;
  const end = text.lastIndexOf(newline, bytesMax - 1);
  return text.subarray(0, (end < 0 ? text.indexOf(newline) : end) + 1 || text.length);
}
