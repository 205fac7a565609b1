import { join } from "node:path";
import type { Measurable } from "../calls.ts";
import { startChild } from "../load/child.ts";
import { type CallToMake, mark } from "../load/requests.ts";
import type { Target } from "../targets/target.ts";
import { peerFolder } from "./peers.ts";

/** A person of the peer, signed in, with an organization of theirs. */
interface PeerAccount {
  cookie: string;
  organizationId: string;
}

export interface PeerServer extends Target {
  callsFor(what: Measurable): CallToMake[];
}

export interface PeerSetUp {
  name: string;
  journal: "delete" | "wal";
}

/** As its manual sets it up, which is what the goals speak of; and with the journal that suits a server better. */
export const peerSetUps: PeerSetUp[] = [
  { name: "better-auth", journal: "delete" },
  { name: "better-auth, WAL", journal: "wal" },
];

/**
 * better-auth with its own handler on node:http. Creating an organization reads all organizations of the person, and
 * inviting reads all open invitations of the organization, so the load goes round many people: each has few of both.
 */
export async function startPeer(folder: string, { name, journal }: PeerSetUp): Promise<PeerServer> {
  const module = new URL("server.ts", peerFolder("better-auth"));
  const child = startChild("server", module, [join(folder, `better-auth-${journal}.sqlite`), journal]);
  const { port, accounts } = (await child.ready) as { port: number; accounts: PeerAccount[] };
  const headersOf = (account: PeerAccount) => ({ cookie: account.cookie, origin: `http://127.0.0.1:${port}` });
  return {
    name,
    port,
    pid: child.pid,
    callsFor(what) {
      if (what === "create project") {
        return accounts.map((account) => ({
          path: "/api/auth/organization/create",
          headers: headersOf(account),
          body: { name: "Made to be counted", slug: `organization-${mark}`, keepCurrentActiveOrganization: true },
        }));
      }
      if (what === "create invite") {
        return accounts.map((account) => ({
          path: "/api/auth/organization/invite-member",
          headers: headersOf(account),
          body: { email: `${mark}.person@example.com`, role: "member", organizationId: account.organizationId },
        }));
      }
      return [];
    },
    stop: () => child.stop(),
  };
}
