import { describe, expect, test } from "vitest";
import { AddressBlocked, addressRefused, isAddressRefused } from "./address-guard.ts";
import { createOutbound } from "./outbound.ts";
import { SendFailed } from "./send-failed.ts";

const names: Record<string, () => Promise<{ address: string; family: number }[]>> = {
  "inside.example.com": async () => [{ address: "10.1.2.3", family: 4 }],
  "nobody.example.com": () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
};

async function failureAt(name: string): Promise<SendFailed> {
  const resolve = names[name];
  const outbound = createOutbound({ privateOrigins: [], ...(resolve ? { resolve } : {}) });
  try {
    await outbound.send({ origin: `https://${name}`, method: "GET", target: "/", headers: {} });
  } catch (error) {
    if (error instanceof SendFailed) return error;
    throw error;
  } finally {
    await outbound.close();
  }
  throw new Error("It was sent.");
}

describe("an address that cannot be used", () => {
  test("shows the user neither what its name resolves to nor whether it exists", async () => {
    const inside = await failureAt("inside.example.com");
    expect(inside.message).not.toMatch(/10\.1\.2\.3|resolves/);
    expect([isAddressRefused(inside), isAddressRefused(await failureAt("nobody.example.com"))]).toEqual([true, true]);
    expect(addressRefused("identity")).toContain("SIGNALBOX_PRIVATE_HOSTS_IDENTITY");
  });

  test("the operator's log can say what the name resolves to", async () => {
    const { cause } = await failureAt("inside.example.com");
    expect(cause instanceof AddressBlocked && cause.detail).toBe("inside.example.com resolves to 10.1.2.3");
  });

  test("a refused connection is a different failure", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(isAddressRefused(new SendFailed("unreachable", "no", "text", { cause: refused }))).toBe(false);
  });
});
