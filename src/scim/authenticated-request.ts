import type { TokenCredentials, TokenHolder } from "../access/directory/scim-tokens.ts";
import type { DirectorySearch } from "../access/directory/search.ts";
import type { ProtocolRequest } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { parseStrictlyInSlices } from "../kernel/parse-strictly-in-slices.ts";
import { JsonRefused, JsonTooLarge } from "../kernel/strict-json.ts";
import { badRequest } from "./response/scim-error.ts";
import { type JsonObject, objectOf } from "./schema/read-value.ts";

/** An authenticated request. */
export interface ScimCall {
  context: RegionContext;
  search: DirectorySearch;
  baseUrl: string;
  request: ProtocolRequest;
  /** Empty where the method has no body. */
  bodyText: string;
  credentials: TokenCredentials;
  holder: TokenHolder;
  query: URLSearchParams;
}

/**
 * Bounds of a body: about eighty thousand group members, and more names than all schemas have. Large bodies are parsed
 * in slices.
 */
const bodyMax = { weight: 400_000, names: 2000 };

export async function readBody({ bodyText }: ScimCall): Promise<JsonObject> {
  let value: unknown;
  try {
    value = await parseStrictlyInSlices(bodyText, 32, bodyMax);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw badRequest("tooMany", error.message);
    if (error instanceof JsonRefused) throw badRequest("invalidSyntax", error.message);
    throw error;
  }
  const body = objectOf(value);
  if (!body) throw badRequest("invalidSyntax", "The body must be a JSON object.");
  return body;
}
