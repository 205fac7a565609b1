import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";
import { fullClient } from "./clients.ts";
import { defaultSettings } from "./settings.ts";
import { createTokens } from "./tokens.ts";

describe("the token service", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  afterAll(() => marketing.stop());

  const read = async (response: Response) => (await response.json()) as Record<string, unknown>;

  test("a fresh token lives for an hour, and asking again gives the same one with less time left", async () => {
    await marketing.setLimits({ revoke_tokens: true });
    const response = await marketing.askToken();
    const first = await read(response);
    expectShape(first, shapes.token);
    expect(first.expires_in).toBe(3599);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("pragma")).toBe("no-cache");
    expect(response.headers.get("content-type")).toBe("application/json;charset=UTF-8");
    await marketing.advance(1000);
    const again = await read(await marketing.askToken());
    expect(again.access_token).toBe(first.access_token);
    expect(again.expires_in as number).toBeLessThan(2600);
    await marketing.advance(2600);
    expect((await read(await marketing.askToken())).access_token).not.toBe(first.access_token);
  });

  test("POST works too, with the parameters in the query or as a form", async () => {
    const { client_id, client_secret } = marketing.description.credentials;
    const parameters = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
    const address = `${marketing.url}/identity/oauth/token`;
    const inQuery = await fetch(`${address}?${parameters}`, { method: "POST" });
    expectShape(await read(inQuery), shapes.token);
    expectShape(await read(await fetch(address, { method: "POST", body: parameters })), shapes.token);
  });

  test.each([
    ["a wrong secret", { client_secret: "no" }, 401, "invalid_client", "Bad client credentials"],
    ["an unknown client", { client_id: "abc" }, 401, "unauthorized", "No client with requested id: abc"],
    ["another grant", { grant_type: "password" }, 400, "unsupported_grant_type", "Unsupported grant type: password"],
    ["no grant", { grant_type: "" }, 400, "invalid_request", "Missing grant type"],
  ])("%s is refused in OAuth's own words", async (_, change, status, error, description) => {
    const { client_id, client_secret } = marketing.description.credentials;
    const query = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret, ...change });
    const response = await fetch(`${marketing.url}/identity/oauth/token?${query}`);
    expect(response.status).toBe(status);
    expect(await read(response)).toEqual({ error, error_description: description });
  });

  test("each client has a token of its own, and token calls count against nothing", async () => {
    const { read_only: readOnly } = marketing.description.credentials;
    expect(await marketing.tokenOf(readOnly)).not.toBe(await marketing.tokenOf());
    await marketing.setLimits({ rate_calls: 1, daily_calls: 1, concurrent_calls: 0 });
    for (let turn = 0; turn < 5; turn++) expect((await marketing.askToken()).status).toBe(200);
    await marketing.reset();
  });

  test("tokens outlive a reset", async () => {
    await marketing.renewToken();
    await marketing.reset();
    expect((await marketing.get("/rest/v1/lists.json?batchSize=1")).success).toBe(true);
  });
});

test("a token in its last second has 0 seconds left, and then ends", () => {
  let now = 1_000_000;
  const tokens = createTokens({ ...defaultSettings }, () => now);
  const { token, expiresIn } = tokens.tokenFor(fullClient);
  expect(expiresIn).toBe(3599);
  now += 3_599_500;
  expect(tokens.tokenFor(fullClient)).toEqual({ token, expiresIn: 0 });
  expect(tokens.ownerOf(token)).toBe(fullClient);
  now += 500;
  expect(() => tokens.ownerOf(token)).toThrow("Access token expired");
  expect(tokens.tokenFor(fullClient).token).not.toBe(token);
});

// "override any limit, token life included"; "let tests set its life, expire it mid-run (602)"
test("a shorter life holds for the tokens that are out, and a longer one brings none back", () => {
  let now = 1_000_000;
  const settings = { ...defaultSettings };
  const tokens = createTokens(settings, () => now);
  const { token } = tokens.tokenFor(fullClient);
  now += 10_000;
  settings.token_life_seconds = 5;
  expect(() => tokens.ownerOf(token)).toThrow("Access token expired");
  expect(tokens.tokenFor(fullClient)).toEqual({ token: expect.not.stringMatching(token), expiresIn: 4 });
  settings.token_life_seconds = 3600;
  expect(() => tokens.ownerOf(token)).toThrow("Access token expired");
});

// "expires_in is the remaining life in seconds. A new token lives 3600 s."
test("a token from a time to which the clock no longer points has a life left and not more", () => {
  let now = 10 * 86_400_000;
  const tokens = createTokens({ ...defaultSettings }, () => now);
  const { token } = tokens.tokenFor(fullClient);
  now = 1_000_000;
  expect(tokens.ownerOf(token)).toBe(fullClient);
  expect(tokens.tokenFor(fullClient)).toEqual({ token, expiresIn: 3599 });
});
