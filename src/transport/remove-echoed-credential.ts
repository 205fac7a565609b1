import { someText } from "../kernel/some-text.ts";
import { giveWay } from "../kernel/work-in-slices.ts";
import { writeInSlices } from "../kernel/write-in-slices.ts";
import type { Answer } from "../systems/work.ts";
import { formsOf, redact } from "./redact.ts";
import { redactInSlices } from "./redact-in-slices.ts";

/**
 * Removes the request's credential from an answer that repeats it: a user of an account must not learn its token this
 * way. Nearly all answers return unchanged after one search through their bytes.
 */
export function withoutEcho(answer: Answer, text: string, secret: string): Answer {
  const needles = formsOf(secret);
  const holds = (some: string): boolean =>
    needles.some((needle) => some.length >= needle.length && some.includes(needle));
  // JSON can escape characters as \u0041: then only the parsed values show the secret.
  const isInBody =
    holds(text) || (text.includes("\\") && typeof answer.body !== "string" && someText(answer.body, holds));
  const body = isInBody ? redact(answer.body, [secret]) : answer.body;
  for (const name in answer.headers) {
    if (!holds(answer.headers[name] as string)) continue;
    return { ...answer, body, headers: redact(answer.headers, [secret]) as Answer["headers"] };
  }
  return isInBody ? { ...answer, body } : answer;
}

/** Like `withoutEcho` for megabytes, yielding to the event loop. */
export async function withoutEchoInSlices(answer: Answer, text: string, secret: string): Promise<Answer> {
  const needles = formsOf(secret);
  const turn = giveWay();
  const holds = async (some: string): Promise<boolean> => {
    for (const needle of needles) {
      if (some.includes(needle)) return true;
      await turn();
    }
    return false;
  };
  // Written again, the text escapes only what it must.
  const isInBody =
    (await holds(text)) ||
    (text.includes("\\") && typeof answer.body !== "string" && (await holds(await writeInSlices(answer.body))));
  const isInHeaders = Object.values(answer.headers).some((value) => needles.some((needle) => value.includes(needle)));
  return {
    ...answer,
    body: isInBody ? await redactInSlices(answer.body, [secret]) : answer.body,
    headers: isInHeaders ? (redact(answer.headers, [secret]) as Answer["headers"]) : answer.headers,
  };
}
