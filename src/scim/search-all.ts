import type { FaceAnswer } from "../calls/face.ts";
import { answerText, type ScimCall } from "./call.ts";
import { groupsFound } from "./groups.ts";
import { type ListQuery, listText } from "./list-query.ts";
import { ScimRefused } from "./refusal.ts";
import { usersFound } from "./users.ts";

type Search = typeof usersFound;

/** A search over everything: people first, groups behind them. A filter that fits one kind alone finds only that. */
export async function searchAll(call: ScimCall, query: ListQuery): Promise<FaceAnswer> {
  let firstRefusal: ScimRefused | null = null;
  let refusals = 0;
  const found = async (search: Search, part: ListQuery) => {
    try {
      return await search(call, part);
    } catch (error) {
      if (!(error instanceof ScimRefused) || error.scimType !== "invalidFilter") throw error;
      firstRefusal ??= error;
      refusals++;
      return { total: 0, texts: [] };
    }
  };
  const people = await found(usersFound, query);
  const groups = await found(groupsFound, {
    ...query,
    startIndex: Math.max(1, query.startIndex - people.total),
    count: query.count - people.texts.length,
  });
  if (refusals === 2 && firstRefusal) throw firstRefusal;
  const texts = [...people.texts, ...groups.texts];
  return answerText(200, listText(people.total + groups.total, query.startIndex, texts));
}
