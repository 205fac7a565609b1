import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { failed, failureOf, listen, outboundTo, serve } from "../../test/support/processes/local-servers.ts";
import { cleanUpLater } from "../../test/support/stores.ts";
import { createOutbound } from "./outbound.ts";

describe("pools", () => {
  test("connections to unused origins are closed", async () => {
    const server = createServer((_request, response) => response.end("ok"));
    const gone = once(server, "connection").then(([socket]) => once(socket as Socket, "close"));
    const send = outboundTo(await listen(server), { idleMilliseconds: 20 });
    await send();
    await gone;
    expect((await send()).body).toBe("ok");
  });

  test("the number of open origins stays within its limit, and calls under way finish", async () => {
    const late: ServerResponse[] = [];
    const origins = await Promise.all([1, 2, 3].map(() => serve((_request, response) => late.push(response))));
    const outbound = createOutbound({ privateOrigins: origins, originsMax: 1 });
    cleanUpLater(() => outbound.close());
    const answers = origins.map((origin) => outbound.send({ origin, method: "GET", target: "/", headers: {} }));
    while (late.length < 3) await new Promise((resolve) => setImmediate(resolve));
    for (const response of late) response.end("ok");
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(["ok", "ok", "ok"]);
  });

  test("after closing nothing is sent, and calls under way finish", async () => {
    const origin = await serve((_request, response) => setImmediate(() => response.end("ok")));
    const outbound = createOutbound({ privateOrigins: [origin] });
    const request = { origin, method: "GET", target: "/", headers: {} };
    const last = outbound.send(request);
    await outbound.close();
    expect((await last).body).toBe("ok");
    expect(await failureOf(outbound.send(request))).toEqual(failed("unreachable", "no"));
  });
});
