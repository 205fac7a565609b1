import { expect, inject, test } from "vitest";
import { startProxy } from "../../../test/support/network/cuttable-proxy.ts";
import { newPostgresDatabase } from "../../../test/support/stores.ts";
import { readAddress } from "./address.ts";
import { isDirect } from "./hosts.ts";

// "Works behind PgBouncer in transaction mode": a node asks once, at its start, so no passing error may answer for it.
test.skipIf(inject("postgresUrl") === null)(
  "a connection that breaks while a node looks for a pooler does not make the server one",
  async () => {
    const url = new URL(await newPostgresDatabase());
    const proxy = await startProxy(Number(url.port));
    url.host = `127.0.0.1:${proxy.port}`;
    const look = () => isDirect(readAddress(url.href), 20_000, { statement_timeout: 60_000 });
    expect(await look()).toBe(true);
    proxy.refuseBeside();
    await expect(look()).rejects.toMatchObject({ code: expect.stringMatching(/^(CONNECTION_CLOSED|ECONNRESET)$/) });
    expect(await look()).toBe(true);
  },
);
