import type { Attempt } from "../../steps/ports.ts";
import type { Answer } from "../../systems/work.ts";
import { type Outbound, SendFailed } from "../../transport/outbound.ts";
import type { ChosenModel, ModelSettings, ModelTurn } from "./model.ts";
import { failureOfSilence, failureOfStatus, type ModelFailure } from "./model-failure.ts";

/** Twice the longest answer that a model writes. The libraries read it at once. */
const answerBytesMax = 2 * 1024 * 1024;
/** A turn calls some tools, with some arguments each. */
const valuesMax = 20_000;

/**
 * A `fetch` for the model's server. It records each attempt, without the key and without repeating the conversation.
 */
export function createModelFetch(
  settings: ModelSettings,
  outbound: Pick<Outbound, "send">,
  chosen: ChosenModel,
  turn: ModelTurn,
  now: () => Date,
) {
  const attempts: Attempt[] = [];
  const secrets = [settings[chosen.provider]?.apiKey?.reveal() ?? ""].filter((secret) => secret !== "");
  const milliseconds = settings.timeoutSeconds * 1000;
  let failure: ModelFailure | null = null;

  async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init.method ?? "GET";
    const attempt: Attempt = {
      request: {
        method,
        url: url.href,
        headers: { "content-type": "application/json" },
        body: { model: chosen.model, messages: turn.messages.length, tools: turn.tools.length },
      },
      effect: "read",
      sent_at: now().toISOString(),
      waited_ms: 0,
    };
    attempts.push(attempt);
    const startedAt = performance.now();
    try {
      const answer = await outbound.send({
        origin: url.origin,
        method,
        target: `${url.pathname}${url.search}`,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(typeof init.body === "string" ? { body: init.body } : {}),
        // The server sends nothing until the answer is complete.
        headersMilliseconds: milliseconds,
        totalMilliseconds: milliseconds,
        bytesMax: answerBytesMax,
      });
      refuseTooMany(answer.body);
      attempt.ms = Math.round(performance.now() - startedAt);
      attempt.response = { status: answer.status, headers: {} };
      if (answer.status !== 200) failure = failureOfStatus(answer.status, answer.headers, answer.body, secrets);
      return toResponse(answer);
    } catch (error) {
      if (error instanceof SendFailed) failure = failureOfSilence(error);
      throw error;
    }
  }
  return { attempts, fetch: send as typeof fetch, failure: () => failure };
}

/** The libraries take time for each value. */
function refuseTooMany(body: unknown): void {
  const left = [body];
  for (let seen = 0; left.length > 0; seen++) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const inside = Object.values(value);
    if (seen + left.length + inside.length > valuesMax)
      throw new SendFailed("too large", "maybe", "The response has too many values.");
    left.push(...inside);
  }
}

function toResponse({ status, body }: Answer): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const hasNoBody = status === 204 || status === 205 || status === 304;
  return new Response(hasNoBody ? null : text, { status, headers: { "content-type": "application/json" } });
}
