import type { ProtocolResponse } from "../calls/protocol.ts";
import type { ScimCall } from "./authenticated-request.ts";
import { searchGroups } from "./groups.ts";
import { type ListQuery, listText } from "./list-query.ts";
import { textResponse } from "./response/responses.ts";
import { ScimRefused } from "./response/scim-error.ts";
import { searchUsers } from "./users.ts";

type Search = typeof searchUsers;

/**
 * Searches all resource types: users first, then groups. A filter that is valid for one type alone finds only that
 * type.
 */
export async function searchAll(call: ScimCall, query: ListQuery): Promise<ProtocolResponse> {
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
  const people = await found(searchUsers, query);
  const groups = await found(searchGroups, {
    ...query,
    startIndex: Math.max(1, query.startIndex - people.total),
    count: query.count - people.texts.length,
  });
  if (refusals === 2 && firstRefusal) throw firstRefusal;
  const texts = [...people.texts, ...groups.texts];
  return textResponse(200, listText(people.total + groups.total, query.startIndex, texts));
}
