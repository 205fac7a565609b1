import { isSlowToList } from "./large-objects.ts";
import { parseInSlices } from "./parse-in-slices.ts";
import {
  type JsonMax,
  JsonRefused,
  namedTwice,
  notJson,
  parseJson,
  scanLarge,
  smallCharacters,
} from "./strict-json.ts";
import { giveWay, turnAlone } from "./work-in-slices.ts";

/** Like `parseJson`, and as strict. A text of megabytes is read in slices, yielding to the event loop between them. */
export async function parseStrictlyInSlices(text: string, depthMax: number, max: JsonMax): Promise<unknown> {
  if (text.length <= smallCharacters) return parseJson(text, depthMax, max);
  const turn = giveWay();
  const walk = scanLarge(text, depthMax, max);
  let walked = walk.next();
  for (; !walked.done; walked = walk.next()) await turn();
  await turn();
  const limits = { depth: depthMax, weight: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY };
  const value = await parseInSlices(text, limits).catch((error: unknown) => {
    throw error instanceof SyntaxError ? new JsonRefused(notJson) : error;
  });
  if ((await countMembers(value, turn)) !== walked.value) throw new JsonRefused(namedTwice);
  return value;
}

const valuesBetweenLooks = 1024;

async function countMembers(root: unknown, turn: ReturnType<typeof giveWay>): Promise<number> {
  const open: Iterator<unknown>[] = [[root].values()];
  let members = 0;
  let seen = 0;
  while (open.length > 0) {
    const { done, value } = (open.at(-1) as Iterator<unknown>).next();
    if (done) open.pop();
    else if (Array.isArray(value)) open.push(value.values());
    else if (typeof value === "object" && value !== null) {
      if (isSlowToList(value)) await turnAlone();
      const names = Object.keys(value);
      members += names.length;
      open.push(membersOf(value as Record<string, unknown>, names));
    }
    if (++seen % valuesBetweenLooks === 0) await turn();
  }
  return members;
}

/** One at a time: `Object.values` takes three times as long as `Object.keys`, all of it at once. */
function* membersOf(object: Record<string, unknown>, names: readonly string[]): Generator<unknown> {
  for (const name of names) yield object[name];
}
