import { describe, expect, test } from "vitest";
import { failed, failureOf, serve } from "../../test/support/processes/local-servers.ts";
import { cleanUpLater } from "../../test/support/stores.ts";
import { createLog } from "../kernel/log.ts";
import type { Outbound } from "./outbound.ts";
import { createOutboundByUse } from "./outbound-by-use.ts";
import { originsOpenTo, type PrivateHost, type Use, uses } from "./private-hosts.ts";

/** "Separate allowlists for steps, webhooks, models and identity providers." */

const nobody = { steps: [], webhooks: [], models: [], identity: [] };

function openOutbounds(hosts: Partial<Record<Use, PrivateHost[]>>, sandboxes: Record<string, string> = {}) {
  const logged: string[] = [];
  const outbounds = createOutboundByUse(
    { ...nobody, ...hosts },
    sandboxes,
    createLog("warn", { write: (line) => logged.push(line) }),
  );
  cleanUpLater(() => outbounds.close());
  return { outbounds, logged };
}

const request = { method: "GET", target: "/", headers: {} };
const statusOf = async (way: Outbound, origin: string, principal?: object): Promise<number> =>
  (await way.send({ ...request, origin, ...(principal && { principal }) })).status;

describe("an address in a private network", () => {
  test.each(uses)("that is open for %s is open for nothing else", async (use) => {
    const origin = await serve((_request, response) => response.writeHead(204).end());
    const { outbounds } = openOutbounds({ [use]: [origin] });
    expect(await statusOf(outbounds[use], origin)).toBe(204);
    for (const other of uses.filter((each) => each !== use)) {
      expect([other, await failureOf(outbounds[other].send({ ...request, origin }))]).toEqual([
        other,
        failed("blocked", "no"),
      ]);
    }
  });

  test("that is open to one organization is closed to all others, even on a connection that is already open", async () => {
    let arrived = 0;
    const origin = await serve((_request, response) => {
      arrived++;
      response.writeHead(204).end();
    });
    const { outbounds } = openOutbounds({ steps: [{ origin, organizations: ["org_us_1", "org_us_2"] }] });
    for (const organizationId of ["org_us_1", "org_us_2"]) {
      expect(await statusOf(outbounds.steps, origin, { organizationId })).toBe(204);
    }
    for (const principal of [{ organizationId: "org_us_3" }, { organizationId: "" }, {}, undefined]) {
      const sent = outbounds.steps.send({ ...request, origin, ...(principal && { principal }) });
      expect(await failureOf(sent)).toEqual(failed("blocked", "no"));
    }
    expect(arrived).toBe(2);
  });

  test("several entries open it to every organization that one of them names", () => {
    const origin = "http://10.0.0.5:9000";
    const limited = [
      { origin, organizations: ["org_us_1"] },
      { origin, organizations: ["org_us_2"] },
    ];
    expect(originsOpenTo(limited, "org_us_2")).toEqual([origin]);
    expect(originsOpenTo(limited, "org_us_3")).toEqual([]);
    expect(originsOpenTo([...limited, origin], "org_us_3")).toEqual([origin]);
  });
});

describe("the sandboxes", () => {
  test("are open to accounts at the sandboxes alone: not to typed addresses, webhooks, models or providers", async () => {
    const origin = await serve((_request, response) => response.writeHead(204).end());
    const { outbounds } = openOutbounds({}, { deployment: origin });
    expect(await statusOf(outbounds.steps, origin, { organizationId: "org_us_1", instance: "sandbox" })).toBe(204);
    for (const instance of ["custom", "live", undefined]) {
      const principal = { organizationId: "org_us_1", ...(instance && { instance }) };
      expect(await failureOf(outbounds.steps.send({ ...request, origin, principal }))).toEqual(failed("blocked", "no"));
    }
    for (const use of ["webhooks", "models", "identity"] as const) {
      const principal = { instance: "sandbox" };
      expect(await failureOf(outbounds[use].send({ ...request, origin, principal }))).toEqual(failed("blocked", "no"));
    }
  });
});

describe("the operator's log", () => {
  test("reports once a minute what was refused, for which organization and why", async () => {
    const { outbounds, logged } = openOutbounds({});
    const principal = { organizationId: "org_us_1" };
    for (let times = 0; times < 5; times++) {
      await failureOf(outbounds.webhooks.send({ ...request, origin: "https://127.0.0.1:9", principal }));
    }
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { use: "webhooks", origin: "https://127.0.0.1:9", organization_id: "org_us_1", detail: expect.any(String) },
    ]);
  });
});
