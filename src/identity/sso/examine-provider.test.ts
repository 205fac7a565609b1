import { describe, expect, test } from "vitest";
import { createOutbound } from "../../transport/outbound.ts";
import { type Check, examineProvider } from "./examine-provider.ts";
import { createOidc } from "./oidc/oidc.ts";
import type { Provider } from "./providers.ts";

const inside = async () => [{ address: "10.1.2.3", family: 4 }];
const nowhere = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
const loopback = async () => [{ address: "127.0.0.1", family: 4 }];
const halfInside = async () => [
  { address: "93.184.215.14", family: 4 },
  { address: "fd00::1", family: 6 },
];

const provider: Provider = {
  id: "sso_us_1",
  organizationId: "org_us_1",
  label: "x",
  enabled: true,
  required: false,
  settings: { kind: "oidc", issuer: "https://vm.example.com", clientId: "x", scopes: ["openid"] },
  sealed: null,
  justInTime: false,
  defaultProjectId: null,
  defaultPermissions: null,
  directoryId: null,
  createdBy: "usr_us_1",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

async function examined(resolve: () => Promise<{ address: string; family: number }[]>): Promise<Check | undefined> {
  const outbound = createOutbound({ privateOrigins: [], resolve });
  try {
    const oidc = createOidc({ outbound, privateOrigins: [], now: () => new Date() });
    return (await examineProvider(provider, async () => null, oidc, new Date())).at(-1);
  } finally {
    await outbound.close();
  }
}

describe("testing an identity provider", () => {
  test("does not reveal which names and addresses exist in the server's network", async () => {
    const unknown = await examined(nowhere);
    for (const resolve of [inside, loopback, halfInside]) expect(await examined(resolve)).toEqual(unknown);
    expect(unknown).toMatchObject({ name: "discovery", ok: false });
    expect(unknown?.detail).toContain("SIGNALBOX_PRIVATE_HOSTS_IDENTITY");
    expect(unknown?.detail).not.toMatch(/10\.1\.2\.3|127\.0\.0\.1|fd00|vm\.example|ENOTFOUND|resolve/);
  });
});
