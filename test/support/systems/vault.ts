import { sandboxes as creators } from "../../../sandboxes/serve.ts";
import type { CreateSandbox } from "../../../sandboxes/server/sandbox.ts";
import { type ServedSandbox, serveSandbox } from "../../../sandboxes/server/serve-sandbox.ts";
import { readEmail } from "../../../src/access/email.ts";
import { createAccountAsOperator, operatorScope } from "../../../src/access/operator.ts";
import { createLog } from "../../../src/kernel/log.ts";
import type { Store } from "../../../src/store/db.ts";
import { forEachSystem, type SystemId } from "../../../src/systems/index.ts";
import { createOutbound } from "../../../src/transport/outbound.ts";
import { keyRingOf, masterKeyFrom } from "../../../src/vault/sealing/key-ring.ts";
import type { VaultConfig } from "../../../src/vault/system-addresses.ts";
import { type Connection, type ConnectWish, createVault, type Vault } from "../../../src/vault/vault.ts";
import { cleanUpLater, newStore, type StoreKind } from "../stores.ts";

/** A sandbox of one test, with its control API. */
export interface TestSandbox {
  url: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  credentials: any;
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  ids: any;
  control(what: "reset" | "faults" | "clock" | "limits", body: unknown): Promise<void>;
  /** Takes back the faults that no call has met. */
  clearFaults(): Promise<void>;
  requests(path?: string): Promise<{ method: string; path: string; status: number; identity: string | null }[]>;
}

/** An address for each system. Those that are not given have `other`, where nothing answers by default. */
export const sandboxUrls = (
  given: Partial<Record<SystemId, string>>,
  other = "http://127.0.0.1:1",
): Record<SystemId, string> => forEachSystem(({ id }) => given[id] ?? other);

export type WrapSandbox = (create: CreateSandbox) => CreateSandbox;

export const startSandbox = (system: SystemId): Promise<TestSandbox> => startWrapped(system, (create) => create);

/** `wrap` may look at what the sandbox receives. */
export async function startWrapped(system: SystemId, wrap: WrapSandbox): Promise<TestSandbox> {
  const served: ServedSandbox = await serveSandbox(wrap(creators[system]), 0);
  cleanUpLater(() => served.stop());
  const { url } = served;
  // biome-ignore lint/suspicious/noExplicitAny: the control API answers JSON of its own.
  const control = async (path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${url}/_sandbox${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`The control API refuses ${path}: ${await response.text()}`);
    return response.json();
  };
  return {
    url,
    credentials: (await control("")).credentials,
    ids: (await control("")).ids,
    control: (what, body) => control(`/${what}`, body),
    async clearFaults() {
      const { faults } = await control("/faults");
      for (const { fault_id } of faults) await control("/faults/remove", { fault_id });
    },
    async requests(path) {
      const { requests } = await control("/requests");
      return requests.filter((line: { path: string }) => path === undefined || line.path === path);
    },
  };
}

/** A vault on a real store, with the sandboxes of a test, in a project of an organization. */
export interface TestVault {
  store: Store;
  vault: Vault;
  projectId: string;
  organizationId: string;
  logged: string[];
  config: VaultConfig;
  advance(seconds: number): void;
  now(): Date;
  /** Another process on the same store, as the vault sees it. */
  another(): Vault;
  /** A vault on a node whose clock is ahead. */
  ahead(seconds: number): Vault;
  /** Verifies and saves, like `connections/connect`. */
  connect(wish: ConnectWish): Promise<Connection>;
  /** The connection's current state in the store. */
  again(connection: Pick<Connection, "id">): Promise<Connection>;
}

export const testMasterKey = masterKeyFrom(Buffer.alloc(32, 7).toString("base64"));

export async function startVault(
  kind: StoreKind,
  sandboxes: Partial<Record<SystemId, TestSandbox>>,
  options: { privateOrigins?: string[]; clients?: VaultConfig["clients"]; ring?: Parameters<typeof keyRingOf> } = {},
): Promise<TestVault> {
  const store = await newStore(kind);
  let offsetSeconds = 0;
  const now = () => new Date(Date.now() + offsetSeconds * 1000);
  const email = readEmail("owner@example.com");
  if (!email) throw new Error("no address");
  const account = await createAccountAsOperator(operatorScope(store, "us", now), { email, firstProject: "A project" });
  const projectId = account.projectId ?? "";
  const { organizationId } = account.user;
  const urls = sandboxUrls({});
  for (const [system, sandbox] of Object.entries(sandboxes)) urls[system as SystemId] = sandbox.url;
  const privateOrigins = [...Object.values(urls), ...(options.privateOrigins ?? [])];
  const outbound = createOutbound({ privateOrigins });
  cleanUpLater(() => outbound.close());
  const config: VaultConfig = {
    region: "us",
    sandboxes: urls,
    clients: options.clients ?? {},
    redirectUri: "http://127.0.0.1:4100/oauth/callback",
    privateOrigins,
  };
  const logged: string[] = [];
  const log = createLog("debug", { write: (line: string) => void logged.push(line) });
  const ring = keyRingOf(...(options.ring ?? [testMasterKey]));
  const parts = { store, ring, outbound, config, log };
  const another = () => createVault({ ...parts, now, leaseNow: async () => now() });
  const ahead = (seconds: number) => createVault({ ...parts, now: () => new Date(now().getTime() + seconds * 1000) });
  const vault = another();
  const again = async ({ id }: Pick<Connection, "id">): Promise<Connection> => {
    const found = await vault.find(projectId, id);
    if (!found) throw new Error(`No connection ${id}.`);
    return found;
  };
  return {
    store,
    vault,
    projectId,
    organizationId,
    logged,
    config,
    advance: (seconds) => {
      offsetSeconds += seconds;
    },
    now,
    another,
    ahead,
    again,
    async connect(wish) {
      const verified = await vault.verify(projectId, wish);
      const id = await store.transaction((db) =>
        vault.save(operatorScope(db, "us", now), { id: projectId, organizationId }, verified),
      );
      return again({ id });
    },
  };
}
