import type { Call, CallerOptions } from "./caller.ts";
import { SignalboxProblem } from "./problem.ts";
import type { OutputOf } from "./wire.ts";

/** `baseUrl` is read when it is needed: a client may have moved to another region. */
type Connection = Pick<CallerOptions, "baseUrl" | "headers" | "fetch">;
type Run = OutputOf<"/latest/runs/{run_id}/get">;

const pollMilliseconds = 1_000;

/**
 * The run each time that it has changed, until it ends or waits for a person. It reads again when the project's stream of changes
 * names the run, and every second where there is no stream.
 */
export async function* followRun(
  call: Call,
  connection: Connection,
  runId: string,
  signal?: AbortSignal,
): AsyncGenerator<Run> {
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let changes: ReturnType<typeof openChanges> | null = null;
  let shown = "";
  try {
    for (;;) {
      const run = await call("/latest/runs/{run_id}/get", { run_id: runId }, signal ? { signal } : {});
      const text = JSON.stringify(run);
      if (text !== shown) yield run;
      shown = text;
      if (!isOpen(run)) return;
      // After the first answer: it may have named the address of another region.
      changes ??= openChanges(connection, runId, ended);
      await changes.next();
      signal?.throwIfAborted();
    }
  } finally {
    stop.abort();
  }
}

/** Waits that end only with a person. */
const isForPerson = (kind: string): boolean => kind === "approval" || kind === "person";

const isOpen = ({ status, waiting_for: waitingFor }: Run): boolean =>
  status === "queued" ||
  status === "running" ||
  (status === "waiting" && waitingFor !== undefined && !isForPerson(waitingFor.kind));

/** Resolves with the next change of the run, or after a second. */
function openChanges(connection: Connection, runId: string, signal: AbortSignal) {
  let wake = () => {};
  let hasChanged = false;
  let isStreaming = false;
  const tell = () => {
    hasChanged = true;
    wake();
  };
  // Without a stream, the caller reads the run every second.
  void readStream().catch(() => {
    isStreaming = false;
    tell();
  });
  signal.addEventListener("abort", tell, { once: true });

  async function readStream(): Promise<void> {
    const response = await (connection.fetch ?? fetch)(`${connection.baseUrl}/latest/projects/watch`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...connection.headers() },
      body: "{}",
      signal,
    });
    if (!response.ok || !response.body) throw new SignalboxProblem(response.status, {});
    isStreaming = true;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new SignalboxProblem(0, {});
      const lines = `${rest}${value}`.split("\n");
      rest = lines.pop() ?? "";
      // `null` stands for any run.
      if (lines.some((line) => line.startsWith("data:") && (line.includes(runId) || line.includes('"runs":null'))))
        tell();
    }
  }

  return {
    async next(): Promise<void> {
      if (!hasChanged) {
        await new Promise<void>((resolve) => {
          // A stream may be cut without a word; a look now and then finds that.
          const timer = setTimeout(resolve, isStreaming ? 15 * pollMilliseconds : pollMilliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasChanged = false;
    },
  };
}
