import { SignalboxProblem, unreachable } from "../../client/problem.ts";

/** The ids of what changed; null where anything of that kind may have. */
export interface Changes {
  runs: string[] | null;
  connections: string[] | null;
}

/** The server writes every 15 seconds. A connection that is silent for longer than two of them is lost. */
const silenceMilliseconds = 40_000;

/**
 * Reads a project's stream until it ends. A browser's own EventSource can neither name the project in a header nor say why it
 * was refused.
 */
export async function readEvents(
  projectId: string,
  since: string | null,
  signal: AbortSignal,
  onEvent: (cursor: string, changes: Changes) => void,
): Promise<void> {
  const lost = new AbortController();
  const either = AbortSignal.any([signal, lost.signal]);
  let silence = setTimeout(() => lost.abort(), silenceMilliseconds);
  try {
    const response = await fetch("/latest/projects/watch", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "x-signalbox-project": projectId,
      },
      body: JSON.stringify(since === null ? {} : { since }),
      credentials: "same-origin",
      signal: either,
    });
    if (!response.ok || !response.body) {
      throw new SignalboxProblem(response.status, (await response.json().catch(() => ({}))) as Record<string, unknown>);
    }
    let rest = "";
    for await (const text of textOf(response.body)) {
      clearTimeout(silence);
      silence = setTimeout(() => lost.abort(), silenceMilliseconds);
      const events = `${rest}${text}`.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) tell(event, onEvent);
    }
  } catch (error) {
    throw error instanceof SignalboxProblem ? error : unreachable(error);
  } finally {
    clearTimeout(silence);
    lost.abort();
  }
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function tell(event: string, onEvent: (cursor: string, changes: Changes) => void): void {
  const fields = new Map(event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line]));
  const [id, data] = [fields.get("id"), fields.get("data")];
  if (id === undefined || data === undefined) return;
  onEvent(id.slice("id: ".length), JSON.parse(data.slice("data: ".length)) as Changes);
}
