import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { updateInSlices } from "../kernel/hash-in-slices.ts";
import { randomBase62 } from "../kernel/random.ts";
import { giveWay } from "../kernel/work-in-slices.ts";
import type { Db } from "../store/db.ts";
import type { SignatureScheme } from "../systems/events.ts";
import type { DataKeys, SealContext } from "../vault/sealing/data-keys.ts";
import { rotate, type SigningSecret } from "../vault/webhook-signing.ts";

/** The sealed secrets of an agent: the last part of its address, and every secret that may sign its events. */
export interface AgentSecrets {
  token: string;
  /** Ours; two during a rotation. */
  own: SigningSecret[];
  /** Of senders that make their own. */
  given: string[];
  /** Of webhooks that were created at a system, by connection. */
  registered: Record<string, string>;
}

export const newAgentSecrets = (given: readonly string[]): AgentSecrets => ({
  token: randomBase62(43),
  own: [{ value: newAgentSecret(), until: null }],
  given: [...given],
  registered: {},
});

// The platform signs with the characters of the secret, so it is plain text, not base64. The prefix lets the log
// recognize it.
const newAgentSecret = (): string => `whsec_${randomBase62(43)}`;

export function rotateOwn(secrets: AgentSecrets, oldUntil: string): { secrets: AgentSecrets; secret: string } {
  const secret = newAgentSecret();
  return { secret, secrets: { ...secrets, own: rotate(secrets.own, secret, oldUntil) } };
}

/**
 * The store holds only the hash, so no address can be read from it, though the token alone permits nothing but unsigned
 * requests.
 */
export const hashOfToken = (token: string): string => hash("sha256", token, "hex");

export interface SealedAgent {
  id: string;
  organizationId: string;
  sealed: string;
}

const sealContextOf = ({ id, organizationId }: Omit<SealedAgent, "sealed">): SealContext => ({
  table: "agents",
  row: id,
  organizationId,
});

export const sealSecrets = (db: Db, agent: Omit<SealedAgent, "sealed">, secrets: AgentSecrets, keys: DataKeys) =>
  keys.seal(db, JSON.stringify(secrets), sealContextOf(agent));

export const openAgentSecrets = async (db: Db, agent: SealedAgent, keys: DataKeys): Promise<AgentSecrets> =>
  JSON.parse(await keys.open(db, agent.sealed, sealContextOf(agent))) as AgentSecrets;

/** A signature, and how its sender makes them. */
interface Signed {
  scheme: SignatureScheme;
  value: string;
}

/**
 * Whether one of the secrets made this signature over these exact bytes. All secrets are tried, each in constant time. An
 * agent may have very many of them, and megabytes take a few milliseconds for each: the loop turns in between.
 */
export async function isSigned(
  bytes: Buffer,
  { scheme, value }: Signed,
  secrets: AgentSecrets,
  now: Date,
): Promise<boolean> {
  const given = Buffer.from(value, "hex");
  // Decoding ends at the first character that is no digit.
  if (given.length * 2 !== value.length) return false;
  const turn = giveWay();
  let matches = false;
  for (const secret of secretsHolding(secrets, now)) {
    await turn();
    const made = (await updateInSlices(createHmac(scheme.hash, secret), bytes)).digest();
    if (made.length === given.length && timingSafeEqual(made, given)) matches = true;
  }
  return matches;
}

/** The signature of a sender that has our newest secret. */
export const signatureOf = async (bytes: Buffer, scheme: SignatureScheme, { own }: AgentSecrets): Promise<string> =>
  (await updateInSlices(createHmac(scheme.hash, own[0]?.value ?? ""), bytes)).digest("hex");

const secretsHolding = ({ own, given, registered }: AgentSecrets, now: Date): string[] => [
  ...own.filter(({ until }) => until === null || until > now.toISOString()).map(({ value }) => value),
  ...given,
  ...Object.values(registered),
];
