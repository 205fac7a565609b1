import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { randomBase62 } from "../kernel/random.ts";
import type { Db } from "../store/db.ts";
import type { DataKeys, SealContext } from "../vault/sealing/data-keys.ts";
import { rotate, type SigningSecret } from "../vault/signing-secrets.ts";

/** What lies sealed in an agent's row: the last part of its address, and every secret that events may be signed with. */
export interface AgentSecrets {
  token: string;
  /** Ours, two of them while one takes the other's place. */
  own: SigningSecret[];
  /** Of senders who make their own. */
  given: string[];
  /** Of webhooks that were made at the platform, by connection. */
  registered: Record<string, string>;
}

export const newAgentSecrets = (given: readonly string[]): AgentSecrets => ({
  token: randomBase62(43),
  own: [{ value: newAgentSecret(), until: null }],
  given: [...given],
  registered: {},
});

// The platform signs with the secret's own characters, so it is a text and no base64; the log knows it by its beginning.
const newAgentSecret = (): string => `whsec_${randomBase62(43)}`;

export function rotateOwn(secrets: AgentSecrets, oldUntil: string): { secrets: AgentSecrets; secret: string } {
  const secret = newAgentSecret();
  return { secret, secrets: { ...secrets, own: rotate(secrets.own, secret, oldUntil) } };
}

/** Whoever holds it can only try signatures, yet it is looked for by its hash: the store holds no address that works. */
export const hashOfToken = (token: string): string => hash("sha256", token, "hex");

export interface SealedAgent {
  id: string;
  organizationId: string;
  sealed: string;
}

const placeOf = ({ id, organizationId }: Omit<SealedAgent, "sealed">): SealContext => ({
  table: "agents",
  row: id,
  organizationId,
});

export const sealSecrets = (db: Db, agent: Omit<SealedAgent, "sealed">, secrets: AgentSecrets, keys: DataKeys) =>
  keys.seal(db, JSON.stringify(secrets), placeOf(agent));

export const openAgentSecrets = async (db: Db, agent: SealedAgent, keys: DataKeys): Promise<AgentSecrets> =>
  JSON.parse(await keys.open(db, agent.sealed, placeOf(agent))) as AgentSecrets;

const signatureShape = /^[0-9a-f]{40}$/i;

/**
 * Whether one of the secrets made this signature over these very bytes. All are tried, whichever fits, and each comparison
 * takes the same time however much of it is right.
 */
export function isSigned(bytes: Buffer, signature: string | undefined, secrets: AgentSecrets, now: Date): boolean {
  if (signature === undefined || !signatureShape.test(signature)) return false;
  const given = Buffer.from(signature, "hex");
  let fits = false;
  for (const secret of secretsHolding(secrets, now)) {
    if (timingSafeEqual(createHmac("sha1", secret).update(bytes).digest(), given)) fits = true;
  }
  return fits;
}

const secretsHolding = ({ own, given, registered }: AgentSecrets, now: Date): string[] => [
  ...own.filter(({ until }) => until === null || until > now.toISOString()).map(({ value }) => value),
  ...given,
  ...Object.values(registered),
];
