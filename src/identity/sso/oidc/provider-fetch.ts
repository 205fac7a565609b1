import { type Outbound, SendFailed } from "../../../transport/outbound.ts";

/** A person is waiting for the sign-in, so a provider must respond quickly. */
const answerMilliseconds = 10_000;
/** Metadata, keys and token responses have a few kilobytes. The main thread parses them, so the limit is low. */
const answerBytesMax = 128 * 1024;
const keysMax = 100;
const withoutBody = new Set([101, 204, 205, 304]);

interface FetchOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Sends the OpenID library's requests through `transport`: public addresses only, limited in size, and without
 * redirects to other hosts.
 */
export const fetchThrough =
  (outbound: Outbound) =>
  async (url: string, options: FetchOptions = {}): Promise<Response> => {
    const { origin, pathname, search } = new URL(url);
    const { body } = options;
    const answer = await outbound.send({
      origin,
      method: options.method ?? "GET",
      target: `${pathname}${search}`,
      headers: options.headers ?? {},
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      totalMilliseconds: answerMilliseconds,
      headersMilliseconds: answerMilliseconds,
      bytesMax: answerBytesMax,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    refuseKeys(answer.body);
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    return new Response(withoutBody.has(answer.status) ? null : text, {
      status: answer.status,
      headers: answer.headers,
    });
  };

function refuseKeys(body: unknown): void {
  const keys = typeof body === "object" && body !== null && "keys" in body ? body.keys : null;
  if (!Array.isArray(keys) || keys.length <= keysMax) return;
  throw new SendFailed("too large", "maybe", `The identity provider lists more than ${keysMax} keys.`);
}

/** Finds the transport failure inside an error of the library. */
export function sendFailureIn(error: unknown): SendFailed | null {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    if (cause instanceof SendFailed) return cause;
  }
  return null;
}
