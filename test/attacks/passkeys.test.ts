import { afterEach, expect, test, vi } from "vitest";
import { expectProblem } from "../support/calls/expect-problem.ts";
import { createAuthenticator } from "../support/sign-in/authenticator.ts";
import { describeOnBothStores } from "../support/stores.ts";
import { startTeam, type Team } from "../support/team.ts";
import { androidKeyWith, packedSelf } from "./support/attestations.ts";

/** A person who registers a passkey writes its attestation: certificates, and addresses at which to look something up. */

afterEach(() => void vi.unstubAllGlobals());

/** Every address that anything in this process asks for outside of our own transport. */
function recordFetches(): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: unknown) => {
    asked.push(String(url));
    throw new Error("Nothing is fetched here.");
  });
  return asked;
}

type Changes = Parameters<ReturnType<typeof createAuthenticator>["create"]>[1];

async function register(team: Team, changes: Changes, replacement?: Buffer) {
  const begun = await team.call("auth/passkeys/begin", {}, { as: team.owner });
  const response = createAuthenticator().create(begun.body.options, changes);
  if (replacement) response.response.attestationObject = replacement.toString("base64url");
  return team.call("auth/passkeys/finish", { response, label: "A phone" }, { as: team.owner });
}

describeOnBothStores("a passkey with an attestation", (kind) => {
  test("makes the server ask for no address that its certificates name", async () => {
    const asked = recordFetches();
    const team = await startTeam(kind);
    const answer = await register(team, { attest: androidKeyWith("http://127.0.0.1:4111/revoked") });
    expect(asked).toEqual([]);
    // The statement was not looked at, so its wrong signature does not matter.
    expect(answer.status).toBe(200);
  });

  test("is registered like any other, because some browsers attest although nobody asked", async () => {
    const team = await startTeam(kind);
    expect((await register(team, { attest: packedSelf })).status).toBe(200);
    const { body } = await team.call("auth/passkeys/list", {}, { as: team.owner });
    expect(body.results).toMatchObject([{ label: "A phone" }]);
  });

  test.each([
    ["is not CBOR", Buffer.from("ffff", "hex")],
    ["is not a map", Buffer.from("83010203", "hex")],
    ["has no data of an authenticator", Buffer.from("a163666d74646e6f6e65", "hex")],
    ["has a text as the data of an authenticator", Buffer.from("a168617574684461746163616263", "hex")],
    ["is nested as deeply as its size allows", Buffer.alloc(14_000, 0x81)],
  ])("is refused if it %s", async (_, bytes) => {
    const team = await startTeam(kind);
    expectProblem(await register(team, {}, bytes), "passkey_unusable");
  });
});
