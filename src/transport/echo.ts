import { giveWay } from "../kernel/give-way.ts";
import { someText } from "../kernel/some-text.ts";
import { writeInSlices } from "../kernel/write-in-slices.ts";
import type { Answer } from "../systems/work.ts";
import { formsOf, redact } from "./redact.ts";
import { redactInSlices } from "./redact-in-slices.ts";

/**
 * The answer without the credential that the request carried, where the system repeats it: whoever may use an account must not
 * learn its token that way. Nearly all answers are handed back after one search through their bytes.
 */
export function withoutEcho(answer: Answer, text: string, secret: string): Answer {
  const needles = formsOf(secret);
  const holds = (some: string): boolean =>
    needles.some((needle) => some.length >= needle.length && some.includes(needle));
  // Letters of a JSON text can be written as \u0041: then only the values themselves tell.
  const isInBody =
    holds(text) || (text.includes("\\") && typeof answer.body !== "string" && someText(answer.body, holds));
  const body = isInBody ? redact(answer.body, [secret]) : answer.body;
  for (const name in answer.headers) {
    if (!holds(answer.headers[name] as string)) continue;
    return { ...answer, body, headers: redact(answer.headers, [secret]) as Answer["headers"] };
  }
  return isInBody ? { ...answer, body } : answer;
}

/** The same of megabytes, with turns for others. */
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
  // Written anew, no letter is escaped that need not be.
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
