import { Webhook } from "standardwebhooks";
import { serve } from "../processes/local-servers.ts";

/** One event as a receiver got it. */
export interface Heard {
  id: string;
  at: string;
  signature: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  body: any;
}

export interface Receiver {
  url: string;
  origin: string;
  received: Heard[];
  /** What it answers from now on. */
  answerWith(status: number, headers?: Record<string, string>, body?: string): void;
}

/** Somebody who takes webhooks, on a free port, and remembers them. */
export async function startReceiver(): Promise<Receiver> {
  const received: Heard[] = [];
  let status = 204;
  let headers: Record<string, string> = {};
  let answer = "";
  const origin = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const header = (name: string) => String(request.headers[name] ?? "");
    received.push({
      id: header("webhook-id"),
      at: header("webhook-timestamp"),
      signature: header("webhook-signature"),
      text,
      body: JSON.parse(text),
    });
    response.writeHead(status, headers).end(answer);
  });
  return {
    url: `${origin}/hooks/signalbox?for=tests`,
    origin,
    received,
    answerWith(next, more = {}, body = "") {
      status = next;
      headers = more;
      answer = body;
    },
  };
}

/** Checks a signature as a receiver would, with the library's own check; its clock is the machine's. */
export function isGenuine(event: Heard, secret: string): boolean {
  try {
    new Webhook(secret).verify(event.text, {
      "webhook-id": event.id,
      "webhook-timestamp": event.at,
      "webhook-signature": event.signature,
    });
    return true;
  } catch {
    return false;
  }
}
