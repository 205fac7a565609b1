import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { refuseHeaders } from "../../src/systems/header-rules.ts";
import { isPublicAddress, type Resolve, refuseOrigin } from "../../src/transport/address-guard.ts";
import { refuseTarget } from "../../src/transport/check-target.ts";
import { createOutbound, type OutboundRequest } from "../../src/transport/outbound.ts";
import { failed, failureOf, listen, serve } from "../support/processes/local-servers.ts";
import { cleanUpLater } from "../support/stores.ts";
import { answersOfNames, origins } from "./address-payloads.ts";
import { headerNames, headerValues } from "./header-payloads.ts";
import { paths } from "./path-payloads.ts";
import { all } from "./payloads.ts";

/** No request may arrive where it should not, no matter who tries: the pure checks first, then the wire. */

/** Passes the check, and no machine has it: the block is not handed out, so nobody is called by these tests. */
const publicAddress = { address: "2000::1", family: 6 };

interface Trap {
  port: string;
  arrived(): number;
}

/** Counts connections. Null where the machine does not have the address. */
async function setTrap(host: string): Promise<Trap | null> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  });
  const origin = await listen(server, host).catch(() => null);
  return origin === null ? null : { port: new URL(origin).port, arrived: () => count };
}

async function setTraps(): Promise<Trap[]> {
  const traps = await Promise.all([setTrap("127.0.0.1"), setTrap("::1")]);
  return traps.filter((trap) => trap !== null);
}

function createWay(privateOrigins: string[], resolve?: Resolve) {
  const outbound = createOutbound({ privateOrigins, connectMilliseconds: 500, ...(resolve && { resolve }) });
  cleanUpLater(() => outbound.close());
  return (wish: Partial<OutboundRequest>) =>
    outbound.send({ origin: "https://api.example.com", method: "GET", target: "/", headers: {}, ...wish });
}

test("there are more than two hundred payloads, each of its own", () => {
  const corpus = [paths, origins, answersOfNames, headerNames, headerValues].flatMap(all);
  expect(corpus.length).toBeGreaterThan(300);
  for (const list of [paths, origins]) expect(new Set(all(list).map(String)).size).toBe(all(list).length);
});

describe("by the checks alone", () => {
  test.each(all(paths))("a path with %s is refused: %j", (_trick, path) => {
    for (const origin of ["https://api.example.com", "https://000-aaa-111.rest.example.com", "http://127.0.0.1:4111"]) {
      expect(refuseTarget(origin, path)).toEqual(expect.any(String));
    }
  });

  test.each(all(origins))("an origin with %s is refused: %j", (_trick, origin) => {
    expect(refuseOrigin(origin.replace("PORT", "4111"))).toEqual(expect.any(String));
  });

  test.each(all(answersOfNames))("an address of %s is not public: %j", (_trick, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(all(headerNames))("a header of %s is refused: %j", (_trick, name) => {
    expect(refuseHeaders(Object.fromEntries([[name, "a"]]))).toEqual([{ name, why: expect.any(String) }]);
  });

  test.each(all(headerValues))("a header's value with %s is refused: %j", (_trick, value) => {
    expect(refuseHeaders({ "x-note": value })).toEqual([{ name: "x-note", why: expect.any(String) }]);
  });
});

describe("on the wire, no connection arrives", () => {
  test("by an origin", async () => {
    const traps = await setTraps();
    const send = createWay([]);
    for (const [, origin] of all(origins)) {
      for (const { port } of traps) {
        const failure = await failureOf(send({ origin: origin.replace("PORT", port) }));
        expect([origin, failure]).toEqual([origin, failed("blocked", "no")]);
      }
    }
    expect(traps.map(({ arrived }) => arrived())).toEqual(traps.map(() => 0));
  });

  test("though one would be noticed", async () => {
    const [trap] = await setTraps();
    const origin = `http://127.0.0.1:${trap?.port}`;
    expect(await failureOf(createWay([origin])({ origin }))).toEqual(failed("cut off", "maybe"));
    expect(trap?.arrived()).toBe(1);
  });

  test("by a path, not even at an origin that may be called", async () => {
    const traps = await setTraps();
    const home = traps.map(({ port }, index) => `http://${["127.0.0.1", "[::1]"][index]}:${port}`);
    const send = createWay(home);
    for (const [, path] of all(paths)) {
      for (const origin of home) {
        const target = path.replaceAll("evil.example", new URL(origin).host);
        expect([path, await failureOf(send({ origin, target }))]).toEqual([path, failed("blocked", "no")]);
      }
    }
    expect(traps.map(({ arrived }) => arrived())).toEqual(traps.map(() => 0));
  });

  test("by a name that resolves to an address of another kind", async () => {
    const traps = await setTraps();
    for (const [, address] of all(answersOfNames)) {
      const family = address.includes(":") ? 6 : 4;
      const alone = createWay([], async () => [{ address, family }]);
      const hidden = createWay([], async () => [publicAddress, { address, family }]);
      for (const { port } of traps) {
        const origin = `https://rebind.example:${port}`;
        expect([address, await failureOf(alone({ origin }))]).toEqual([address, failed("blocked", "no")]);
        expect([address, await failureOf(hidden({ origin }))]).toEqual([address, failed("blocked", "no")]);
      }
    }
    expect(traps.map(({ arrived }) => arrived())).toEqual(traps.map(() => 0));
  });

  test("by a name that changes its answer between the look and the connection", async () => {
    const traps = await setTraps();
    const answers = [
      [publicAddress],
      [{ address: "127.0.0.1", family: 4 }],
      [publicAddress],
      [{ address: "::1", family: 6 }],
    ];
    for (const { port } of traps) {
      let asked = 0;
      const send = createWay([], async () => answers[asked++ % answers.length] ?? []);
      const origin = `https://rebind.example:${port}`;
      for (let round = 1; round <= answers.length; round++) {
        expect((await failureOf(send({ origin }))).sent).toBe("no");
        // Once for each connection: there is no second look-up whose answer could be another.
        expect(asked).toBe(round);
      }
    }
    expect(traps.map(({ arrived }) => arrived())).toEqual(traps.map(() => 0));
  });

  test("by an origin that only resembles one that may be private", async () => {
    const traps = await setTraps();
    const port = traps[0]?.port ?? "";
    const send = createWay([`http://127.0.0.1:${port}`, "https://private.example"]);
    const resembling = [`https://127.0.0.1:${port}`, `http://localhost:${port}`, `http://127.0.0.2:${port}`];
    const tricks = [
      `http://127.0.0.1:${port}0`,
      `http://127.0.0.1:${port}/`,
      `http://127.1:${port}`,
      "http://127.0.0.1",
    ];
    for (const origin of [...resembling, ...tricks, "http://private.example", "https://private.example.127.0.0.1"]) {
      expect([origin, (await failureOf(send({ origin }))).sent]).toEqual([origin, "no"]);
    }
    expect(traps.map(({ arrived }) => arrived())).toEqual(traps.map(() => 0));
  });

  test("by a redirect of a system that may be called", async () => {
    const traps = await setTraps();
    const locations = [
      ...all(origins).map(([, origin]) => `${origin}/x`),
      ...[
        "//127.0.0.1:PORT/",
        "\\\\127.0.0.1:PORT\\",
        "/\\127.0.0.1:PORT/",
        "http:\\\\[::1]:PORT",
        "///127.0.0.1:PORT",
      ],
    ].filter((target) => /^[!-~]+$/.test(target));
    for (const { port } of traps) {
      let location = "";
      const home = await serve((_request, response) => response.writeHead(302, { location }).end());
      const send = createWay([home]);
      for (const target of locations) {
        location = target.replace("PORT", port);
        const failure = await failureOf(send({ origin: home, headers: { authorization: "Bearer c4n4ry" } }));
        expect([target, failure]).toEqual([target, failed("redirected", "maybe")]);
      }
    }
    expect(traps.map(({ arrived }) => arrived())).toEqual(traps.map(() => 0));
  });
});

describe("what is meant to pass does", () => {
  test.each([
    "/rest/v1/leads.json?filterType=email&filterValues=a%40example.com",
    "/rest/asset/v1/folder/byName.json?name=a%2Fb%5Cc%00%0A",
    "/v13/deployments/dpl_1/cancel",
    "/v9/projects/my-project.name_1~x/env?teamId=team_1",
    "/v1beta/properties/123:runReport",
    "/v1beta/properties/-/keyEvents?pageSize=200",
    "/v4/a,b;c=d/(e)!*'$&+=|",
    "/file.with..dots/...",
    "/caf%C3%A9",
    "/",
    "/?",
  ])("the path %s", (target) => expect(refuseTarget("https://api.example.com", target)).toBeNull());

  test.each([
    "https://api.example.com",
    "https://api.example.com:8443",
    "https://xn--bcher-kva.example",
    "https://93.184.215.14",
    "https://[2606:2800:220:1::1]",
  ])("the origin %s", (origin) => expect(refuseOrigin(origin)).toBeNull());

  test.each([
    "1.1.1.1",
    "93.184.215.14",
    "172.15.0.1",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::1",
  ])("the address %s", (address) => expect(isPublicAddress(address)).toBe(true));

  test("headers that say something about the request itself", () => {
    const headers = {
      ...{
        Accept: "application/json",
        "Accept-Language": "de",
        "Content-Type": "application/json",
        "If-None-Match": '"1"',
      },
      ...{ "Idempotency-Key": "7", "x-vercel-digest": "abc", "x-note": "caf\u00e9 \t ok", Prefer: "return=minimal" },
    };
    expect(refuseHeaders(headers)).toEqual([]);
  });

  test("a header that is there twice, or too many, or too long, is not", () => {
    expect(refuseHeaders({ "X-Note": "a", "x-note": "b" })).toHaveLength(1);
    expect(refuseHeaders({ "x-note": "a".repeat(5000) })).toHaveLength(1);
    expect(refuseHeaders({ "x-note": 5 })).toHaveLength(1);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x-note-${index}`, "a"]));
    expect(refuseHeaders(many)).toHaveLength(1);
  });
});
