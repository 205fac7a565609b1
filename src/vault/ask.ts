import { drive, emptyAnswer } from "../systems/drive.ts";
import { type Endpoint, SignInFailed, type SignInRequest, type SignInWork, textIn } from "../systems/sign-in.ts";
import type { Answer } from "../systems/work.ts";
import { addressRefused, isAddressRefused } from "../transport/address-guard.ts";
import { type Outbound, type OutboundRequest, SendFailed } from "../transport/outbound.ts";
import { redact } from "../transport/redact.ts";

/** A sign-in must be over before its lease is: nobody waits longer than this for one answer. */
const answerMilliseconds = 10_000;

/**
 * Sends what a sign-in asks, one request after the other, and gives it the answers. Nothing of it is written anywhere. A refusal
 * is in the system's own words, which are shown to people and kept: they hold none of the secrets that went there or came back.
 */
export async function ask<T>(asking: SignInWork<T>, endpoint: Endpoint, outbound: Outbound): Promise<T> {
  const secrets = new Set<string>();
  try {
    return await askAll(asking, endpoint, outbound, secrets);
  } catch (error) {
    throw error instanceof SignInFailed ? withoutSecrets(error, [...secrets]) : error;
  }
}

const saidMax = 1000;

function withoutSecrets(error: SignInFailed, secrets: readonly string[]): SignInFailed {
  const said = String(redact(error.message, secrets));
  if (said === error.message && said.length <= saidMax) return error;
  const { reason, isGone, remedy } = error;
  return new SignInFailed(reason, said.slice(0, saidMax), { isGone, ...(remedy === null ? {} : { remedy }) });
}

/** Names of what is given and taken in sign-ins. */
const secretFields = [
  "client_secret",
  "refresh_token",
  "access_token",
  "id_token",
  "token",
  "assertion",
  "code",
  "code_verifier",
];
/** Shorter ones would be found in innocent words. */
const secretLengthMin = 8;

function secretsIn({ bearer, form, target }: SignInRequest, answer: unknown): string[] {
  const query = Object.fromEntries(new URLSearchParams(target.split("?")[1]));
  const named = [form, query, answer].flatMap((fields) => secretFields.map((name) => textIn(fields, name) ?? ""));
  return [bearer ?? "", ...named].filter((value) => value.length >= secretLengthMin);
}

function askAll<T>(asking: SignInWork<T>, endpoint: Endpoint, outbound: Outbound, secrets: Set<string>): Promise<T> {
  return drive(asking, async (asked) => {
    if ("pauseSeconds" in asked) {
      await new Promise((resolve) => setTimeout(resolve, asked.pauseSeconds * 1000));
      return emptyAnswer;
    }
    const answer = await sendOne(asked, endpoint, outbound);
    for (const secret of secretsIn(asked, "body" in answer ? answer.body : null)) secrets.add(secret);
    return answer;
  });
}

async function sendOne(asked: SignInRequest, endpoint: Endpoint, outbound: Outbound): Promise<Answer | SignInFailed> {
  try {
    return await outbound.send(toOutbound(asked));
  } catch (error) {
    if (error instanceof SendFailed) return explain(error, asked, endpoint);
    throw error;
  }
}

function toOutbound(asked: SignInRequest): OutboundRequest {
  const headers: Record<string, string> = { accept: "application/json" };
  if (asked.bearer !== undefined) headers.authorization = `Bearer ${asked.bearer}`;
  const request = { origin: asked.origin, method: asked.method, target: asked.target, headers };
  // A hop would be a call that nobody counts, with a credential: no system that we know sends a sign-in elsewhere.
  const time = {
    totalMilliseconds: answerMilliseconds,
    headersMilliseconds: answerMilliseconds,
    redirects: "refuse",
    // What an account says of itself is shown.
    ...(asked.bearer === undefined ? {} : { secret: asked.bearer }),
  } as const;
  if (asked.form !== undefined) {
    headers["content-type"] = "application/x-www-form-urlencoded";
    return { ...request, ...time, body: new URLSearchParams(asked.form).toString() };
  }
  if (asked.json !== undefined) {
    headers["content-type"] = "application/json";
    return { ...request, ...time, body: JSON.stringify(asked.json) };
  }
  return { ...request, ...time };
}

const words = {
  blocked: "may not be called",
  unreachable: "cannot be reached",
  "cut off": "broke off the connection",
  "timed out": "did not answer in time",
  "too large": "answered with far too much",
  redirected: "sends elsewhere",
  unreadable: "answered with something that cannot be read",
} as const satisfies Record<SendFailed["reason"], string>;

/** An address that someone typed is likely wrong where nothing of this system is behind it; a known one is only away. */
function explain(error: SendFailed, { origin }: SignInRequest, endpoint: Endpoint): SignInFailed {
  // Whoever typed an address does not learn from us which names there are in our network.
  const isHidden = endpoint.isTyped && isAddressRefused(error);
  const detail = isHidden ? addressRefused("steps") : `${origin} ${words[error.reason]}.`;
  const isAway = error.reason === "timed out" || error.reason === "cut off";
  return new SignInFailed(endpoint.isTyped && !isAway ? "wrong_endpoint" : "unreachable", detail);
}
