import type { Operation } from "../../../src/calls/define-operation.ts";
import { newId } from "../../../src/kernel/ids.ts";
import type { Team } from "../team.ts";

/** Members that a call needs although its schema does not require them, because they depend on others. */
export const alsoNeeded: Readonly<Record<string, readonly string[]>> = {
  "/latest/single_sign_on/create": ["issuer", "client_id"],
};

let count = 0;

/** Values for the operations on identity providers and domains. */
export function singleSignOnMakers(team: Team, operation: Operation): Record<string, () => unknown> {
  if (operation.area !== "single_sign_on") return {};
  const { call, owner, store, now } = team;
  const provider = { kind: "oidc", label: "A provider", issuer: "https://nobody.invalid", client_id: "signalbox" };

  const newProvider = async (): Promise<string> =>
    (await call("single_sign_on/create", provider, { as: owner })).body.provider_id;

  async function newDomain(): Promise<string> {
    const { body } = await call("domains/create", { domain: `d${count++}.example.com` }, { as: owner });
    team.txtRecords.set(body.domain, [body.record]);
    return body.domain_id;
  }

  async function newIdentity(): Promise<string> {
    const id = newId("identity", "us");
    const at = now().toISOString();
    const values = [id, owner.organizationId, await newProvider(), `subject ${id}`, owner.userId, at];
    await store.transaction((db) =>
      db.query(
        `insert into identities (id, organization_id, provider_id, subject, user_id, created_at, last_used_at)
         values ($1, $2, $3, $4, $5, $6, $6)`,
        values,
      ),
    );
    return id;
  }

  async function makeRoom(): Promise<void> {
    // An organization has at most twenty providers, and some tests call everything for everyone.
    const { body } = await call("single_sign_on/list", { limit: 100 }, { as: owner });
    if (body.results.length < 15) return;
    for (const each of body.results) await call(`single_sign_on/${each.provider_id}/delete`, {}, { as: owner });
  }

  return {
    kind: async () => {
      await makeRoom();
      return provider.kind;
    },
    label: () => provider.label,
    issuer: () => provider.issuer,
    client_id: () => provider.client_id,
    provider_id: async () => {
      await makeRoom();
      return newProvider();
    },
    domain: () => `d${count++}.example.com`,
    domain_id: newDomain,
    identity_id: newIdentity,
  };
}
