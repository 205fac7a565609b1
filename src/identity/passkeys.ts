import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
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

export type { Passkey } from "./passkeys.store.ts";

export const passkeysMax = 20;
const millisecondsToAnswer = 300_000;

/** Loaded with the first passkey. */
const webauthn = () => import("@simplewebauthn/server");

/** What a browser needs to make one: found without an address later, and always behind a PIN, a finger or a face. */
export async function beginPasskey(
  db: Db,
  person: { userId: string; email: string; displayName: string },
  place: PageOrigin,
  now: Date,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listPasskeysOf(db, person.userId, { after: "", limit: passkeysMax });
  if (known.length >= passkeysMax) throw new Problem("too_many_passkeys");
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: "Signalbox",
    rpID: place.rpId,
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

/** Looks at what the browser made. Checking a signature takes its time, so nothing is kept yet. */
export async function readNewPasskey(
  db: Db,
  userId: string,
  response: RegistrationResponseJSON,
  place: PageOrigin,
  now: Date,
): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports" | "synced">> {
  const challenge = await takeGiven(db, "passkey_new", response.response.clientDataJSON, now);
  if (challenge.userId !== userId) throw new Problem("challenge_gone");
  const { verifyRegistrationResponse } = await webauthn();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge.text,
    expectedOrigin: place.origins,
    expectedRPID: place.rpId,
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

export async function keepPasskey(
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

/** Asks for any passkey of this region: whose it is, it says itself. */
export async function askForPasskey(
  db: Db,
  place: PageOrigin,
  now: Date,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: place.rpId,
    userVerification: "required",
    timeout: millisecondsToAnswer,
  });
  await db.transaction((tx) => beginChallenge(tx, "passkey_sign_in", { userId: null, now, token: options.challenge }));
  return options;
}

/** Whose passkey has answered. The challenge is used up by looking, whatever comes of it. */
export async function readPasskey(
  db: Db,
  response: AuthenticationResponseJSON,
  place: PageOrigin,
  now: Date,
): Promise<{ passkey: Passkey; counter: number }> {
  const challenge = await takeGiven(db, "passkey_sign_in", response.response.clientDataJSON, now);
  const passkey = await findPasskeyByCredential(db, response.id);
  if (!passkey) throw new Problem("passkey_refused");
  const { verifyAuthenticationResponse } = await webauthn();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge.text,
    expectedOrigin: place.origins,
    expectedRPID: place.rpId,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
      // A counter that does not grow means a copy of the key; the library refuses it.
      counter: passkey.counter,
      transports: passkey.transports as NonNullable<RegistrationResponseJSON["response"]["transports"]>,
    },
  }).catch(() => {
    throw new Problem("passkey_refused");
  });
  if (!verified.verified) throw new Problem("passkey_refused");
  return { passkey, counter: verified.authenticationInfo.newCounter };
}

/** In the transaction of the sign-in: of two answers with the same counter, one counts. */
export async function keepUse(db: Db, { passkey, counter }: { passkey: Passkey; counter: number }, now: Date) {
  if (!(await markUsed(db, passkey, counter, now.toISOString()))) throw new Problem("passkey_refused");
}

export const listPasskeys = listPasskeysOf;

/** `mayGo` is asked once it is known that there is one. */
export async function removePasskey(db: Db, userId: string, id: string, mayGo: () => Promise<void>): Promise<void> {
  if (!(await hasPasskey(db, userId, id))) throw new Problem("passkey_not_found");
  await mayGo();
  await deletePasskey(db, userId, id);
}

/** The challenge that the browser says it answers, if it is one of ours and still open. */
async function takeGiven(db: Db, kind: "passkey_new" | "passkey_sign_in", clientData: string, now: Date) {
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
    return null;
  }
}
