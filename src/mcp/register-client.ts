import { type ClientMetadata, registerClient } from "../access/assistants/oauth-clients.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";

/** Dynamic client registration (RFC 7591). A refusal has the status 400 and one of that document's two words. */
export type Registered =
  | { registration: object }
  | { error: "invalid_redirect_uri" | "invalid_client_metadata"; description: string };

const offered = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };

export function register(given: Record<string, unknown>, { seal, now }: RegionContext): Registered {
  const mistake = mistakeIn(given);
  if (mistake !== null) return { error: "invalid_client_metadata", description: mistake };
  try {
    const { clientId, client } = registerClient(seal, given as ClientMetadata);
    return {
      registration: {
        client_id: clientId,
        client_id_issued_at: Math.floor(now().getTime() / 1000),
        client_name: client.name,
        redirect_uris: client.redirectUris,
        ...offered,
        token_endpoint_auth_method: "none",
      },
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { error: "invalid_redirect_uri", description: error.message };
  }
}

/** "The authorization server MAY reject or replace any of the client's requested metadata values": only what cannot work is refused. */
function mistakeIn(given: Record<string, unknown>): string | null {
  if (given.client_name !== undefined && typeof given.client_name !== "string") return "`client_name` is a text.";
  const isFor = (name: "grant_types" | "response_types", needed: string): boolean =>
    given[name] === undefined || (Array.isArray(given[name]) && given[name].includes(needed));
  if (!isFor("grant_types", "authorization_code")) return "`grant_types` includes `authorization_code`.";
  if (!isFor("response_types", "code")) return "`response_types` includes `code`.";
  return null;
}
