import { type AssistantClient, readMetadata } from "../access/assistants/oauth-clients.ts";
import { Problem } from "../kernel/problem.ts";
import { addressRefused, isAddressRefused } from "../transport/address-guard.ts";
import { type Outbound, SendFailed } from "../transport/outbound.ts";
import { originsOpenTo, type PrivateHost } from "../transport/private-hosts.ts";
import { refuseAddress } from "./sso/provider-settings.ts";

/**
 * Clients that register nowhere: their client id is the address of a document that describes them (OAuth Client ID Metadata
 * Documents). The owner of the address vouches for the client.
 */
export interface AssistantDocuments {
  read(clientId: string, organizationId: string): Promise<AssistantClient>;
}

const answerMilliseconds = 10_000;
const bytesMax = 16 * 1024;

export const isDocumentAddress = (clientId: string): boolean => /^https?:\/\//.test(clientId);

export function createAssistantDocuments(
  outbound: Outbound,
  privateOrigins: readonly PrivateHost[],
): AssistantDocuments {
  return {
    async read(clientId, organizationId) {
      const open = originsOpenTo(privateOrigins, organizationId);
      const refused = refuseAddress(clientId, open, "query allowed") ?? refusePath(clientId);
      if (refused !== null) throw new Problem("assistant_unknown", `${clientId} is no client id. ${refused}`);
      const { origin, pathname, search } = new URL(clientId);
      const answer = await outbound
        .send({
          origin,
          method: "GET",
          target: `${pathname}${search}`,
          headers: { accept: "application/json" },
          principal: { organizationId },
          redirects: "refuse",
          totalMilliseconds: answerMilliseconds,
          headersMilliseconds: answerMilliseconds,
          bytesMax,
        })
        .catch((error) => {
          if (!(error instanceof SendFailed)) throw error;
          // Anyone with an account can type the address, so a name in our network fails like one that does not exist.
          const reason = isAddressRefused(error) ? addressRefused("identity") : error.message;
          throw new Problem("assistant_unknown", `The description of the assistant cannot be read. ${reason}`);
        });
      const { status, body } = answer;
      const document = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
      // "The client_id property MUST match the document URL": another document says nothing about this client.
      if (status !== 200 || document.client_id !== clientId) {
        throw new Problem("assistant_unknown", `${clientId} does not describe an assistant with this client id.`);
      }
      return readMetadata(document);
    },
  };
}

/** "MUST contain a path component", without dot segments, which two programs may read as two addresses. */
function refusePath(clientId: string): string | null {
  const { pathname, href } = new URL(clientId);
  return pathname === "/" || href !== clientId ? "It needs a path, written in its plain form." : null;
}
