import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Scope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import { dropStatement } from "./attestation.ts";
import { beginChallenge, takeChallenge } from "./challenges.ts";
import type { PageOrigin } from "./page-origin.ts";
import {
  deletePasskey,
  findPasskeyByCredential,
  hasPasskey,
  insertPasskey,
  listPasskeysOf,
  markUsed,
  type Passkey,
} from "./passkeys.store.ts";
import { refuseLastFactor } from "./second-factor/factors.ts";

export type { Passkey } from "./passkeys.store.ts";
export { listPasskeysOf } from "./passkeys.store.ts";

export const passkeysMax = 20;
const millisecondsToAnswer = 300_000;

/** Loads the library with the first passkey. */
const webauthn = () => import("@simplewebauthn/server");

/** Returns the options for a new passkey: discoverable without an address, and always with user verification. */
export async function beginPasskey(
  db: Db,
  person: { userId: string; email: string; displayName: string },
  origin: PageOrigin,
  now: Date,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listPasskeysOf(db, person.userId, { after: "", limit: passkeysMax });
  if (known.length >= passkeysMax) throw new Problem("too_many_passkeys");
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: "Signalbox",
    rpID: origin.rpId,
    userID: new TextEncoder().encode(person.userId),
    userName: person.email,
    userDisplayName: person.displayName,
    timeout: millisecondsToAnswer,
    attestationType: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  });
  await db.transaction((tx) =>
    beginChallenge(tx, "passkey_new", { userId: person.userId, now, token: options.challenge }),
  );
  return options;
}

/** Verifies what the browser created. This takes some time, so it happens before the transaction that stores it. */
export async function readNewPasskey(
  db: Db,
  userId: string,
  response: RegistrationResponseJSON,
  origin: PageOrigin,
  now: Date,
): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports" | "synced">> {
  const challenge = await takeAnsweredChallenge(db, "passkey_new", response.response.clientDataJSON, now);
  if (challenge.userId !== userId) throw new Problem("challenge_gone");
  const { verifyRegistrationResponse } = await webauthn();
  const unattested = await dropStatement(response);
  const verified = await verifyRegistrationResponse({
    response: unattested,
    expectedChallenge: challenge.text,
    expectedOrigin: origin.origins,
    expectedRPID: origin.rpId,
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw new Problem("passkey_unusable", undefined, { cause });
  });
  if (!verified.verified) throw new Problem("passkey_unusable");
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: (credential.transports ?? []).slice(0, 10),
    synced: credentialBackedUp,
  };
}

export async function savePasskey(
  scope: { db: Db; region: Region; now: () => Date },
  userId: string,
  read: Awaited<ReturnType<typeof readNewPasskey>>,
  label: string,
): Promise<Passkey> {
  const passkey: Passkey = {
    ...read,
    id: newId("passkey", scope.region),
    userId,
    label,
    createdAt: scope.now().toISOString(),
    lastUsedAt: null,
  };
  if (!(await insertPasskey(scope.db, passkey))) throw new Problem("passkey_unusable");
  return passkey;
}

/** Asks for any passkey of this region; the passkey identifies its user. */
export async function askForPasskey(
  db: Db,
  origin: PageOrigin,
  now: Date,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: origin.rpId,
    userVerification: "required",
    timeout: millisecondsToAnswer,
  });
  await db.transaction((tx) => beginChallenge(tx, "passkey_sign_in", { userId: null, now, token: options.challenge }));
  return options;
}

/** Verifies a passkey's response and finds its user. Uses up the challenge, whatever the result. */
export async function readPasskey(
  db: Db,
  response: AuthenticationResponseJSON,
  origin: PageOrigin,
  now: Date,
): Promise<{ passkey: Passkey; counter: number }> {
  const challenge = await takeAnsweredChallenge(db, "passkey_sign_in", response.response.clientDataJSON, now);
  const passkey = await findPasskeyByCredential(db, response.id);
  if (!passkey) throw new Problem("passkey_refused");
  const { verifyAuthenticationResponse } = await webauthn();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge.text,
    expectedOrigin: origin.origins,
    expectedRPID: origin.rpId,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
      // A counter that does not increase means a copy of the key; the library refuses it.
      counter: passkey.counter,
      transports: passkey.transports as NonNullable<RegistrationResponseJSON["response"]["transports"]>,
    },
  }).catch(() => {
    throw new Problem("passkey_refused");
  });
  if (!verified.verified) throw new Problem("passkey_refused");
  return { passkey, counter: verified.authenticationInfo.newCounter };
}

/** The same for a person who is signed in: another person's passkey proves nothing. */
export async function readOwnPasskey(scope: Scope, response: AuthenticationResponseJSON, origin: PageOrigin) {
  const read = await readPasskey(scope.db, response, origin, scope.now());
  if (read.passkey.userId !== scope.actor.userId) throw new Problem("passkey_refused");
  return read;
}

/** Runs in the transaction of the sign-in: of two responses with the same counter, one succeeds. */
export async function recordUse(db: Db, { passkey, counter }: { passkey: Passkey; counter: number }, now: Date) {
  if (!(await markUsed(db, passkey, counter, now.toISOString()))) throw new Problem("passkey_refused");
}

export async function removePasskey(db: Db, user: { id: string; organizationId: string }, id: string): Promise<void> {
  if (!(await hasPasskey(db, user.id, id))) throw new Problem("passkey_not_found");
  await refuseLastFactor(db, user);
  await deletePasskey(db, user.id, id);
}

/** Takes the challenge that the browser answers, if it is one of ours and still valid. */
async function takeAnsweredChallenge(db: Db, kind: "passkey_new" | "passkey_sign_in", clientData: string, now: Date) {
  const text = challengeIn(clientData);
  const taken = text === null ? null : await db.transaction((tx) => takeChallenge(tx, kind, text, now));
  if (text === null || !taken) throw new Problem("challenge_gone");
  return { ...taken, text };
}

function challengeIn(clientData: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, "base64url").toString()) as { challenge?: unknown };
    return typeof challenge === "string" ? challenge : null;
  } catch {
    // Not what a browser sends: the caller refuses it.
    return null;
  }
}
