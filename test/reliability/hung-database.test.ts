import { describe, expect, inject, test } from "vitest";
import { startProxy } from "../support/network/cuttable-proxy.ts";
import { signalbox } from "../support/processes/command.ts";
import { startWithAccount } from "../support/processes/first-account.ts";
import { freePort } from "../support/processes/free-ports.ts";
import { newPostgresDatabase, temporaryFolder } from "../support/stores.ts";

describe.skipIf(inject("postgresUrl") === null)("a node whose database hangs", () => {
  // "No call and no /readyz is answered, and SIGTERM does not end the node." Calls under way: src/store/postgres/hung.test.ts.
  // A start says so in a sentence, and ends.
  test("is alive and not ready, refuses every call with Retry-After, and ends on SIGTERM, also with several processes", async () => {
    const url = new URL(await newPostgresDatabase());
    const proxy = await startProxy(Number(url.port));
    url.port = String(proxy.port);
    const home = temporaryFolder();
    const settings = { SIGNALBOX_SANDBOXES: "off", SIGNALBOX_DATABASE_URL_US: url.href };
    const server = await startWithAccount(home, settings, 12);
    const ofTwo = await startWithAccount(home, { ...settings, SIGNALBOX_PROCESSES: "2" });
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
    expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 200]);
    proxy.hang();
    const started = signalbox(["serve", "--regions", "us", "--home", home, "--port", String(await freePort())], {
      ...settings,
      SIGNALBOX_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
    });
    const ended = ofTwo.stop();
    expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 503]);
    // More than there are connections.
    const refused = await Promise.all(Array.from({ length: 40 }, () => server.send("auth/info", {})));
    for (const { status, headers } of refused) {
      expect([status, headers["retry-after"]]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    }
    // Within its limit, after which it would be 1.
    expect(await server.stop()).toBe(0);
    expect(await ended).toBe(0);
    expect(await started).toEqual({
      code: 4,
      stdout: "",
      stderr: "signalbox: The store cannot be reached. The database server does not respond.\n",
    });
  }, 120_000);
});
