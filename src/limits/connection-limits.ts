import { giveWay } from "../kernel/work-in-slices.ts";
import type { Demand } from "../systems/define.ts";
import { systems } from "../systems/index.ts";
import type { Connection, Vault } from "../vault/vault.ts";
import type { Limits } from "./limits.ts";
import type { LimitState, Viewer } from "./shown/shown-limits.ts";

/** One limit of one connection. */
export interface ConnectionLimit {
  connection: Connection;
  limit: LimitState;
}

/** The limits of all connections of a project: those that apply to any call, and those that its calls have used. */
export async function listConnectionLimits(viewer: Viewer, limits: Limits, vault: Vault): Promise<ConnectionLimit[]> {
  const used = await limits.ofProject(viewer);
  const ofConnection = Map.groupBy(used, ({ connectionId }) => connectionId);
  const listed: ConnectionLimit[] = [];
  const turn = giveWay();
  for (const connection of await connectionsOf(viewer.projectId, vault)) {
    const always = await limits.states(demandsOf(connection), viewer);
    const keys = new Set(always.map(keyOf));
    const others = (ofConnection.get(connection.id) ?? []).filter((each) => !keys.has(keyOf(each)));
    for (const limit of [...always, ...others]) listed.push({ connection, limit });
    await turn();
  }
  return listed;
}

const connectionsPerPage = 100;

async function connectionsOf(projectId: string, vault: Vault): Promise<Connection[]> {
  const all: Connection[] = [];
  const turn = giveWay();
  for (let after = ""; ; await turn()) {
    const page = await vault.list(projectId, { after, limit: connectionsPerPage });
    for (const each of page) if (each.state !== "removed") all.push(each);
    if (page.length < connectionsPerPage) return all;
    after = page.at(-1)?.id ?? "";
  }
}

/**
 * The limits that apply to any call of this connection, also before its first call. An account with several addresses has no
 * such limits: they depend on the request.
 */
function demandsOf(connection: Connection): Demand[] {
  const { main } = connection.addresses;
  const facts = systems.find(({ id }) => id === connection.system);
  if (main === undefined || facts === undefined) return [];
  const anyRequest = { method: "GET", api: "main", path: "/", effect: "read", idempotent: true } as const;
  return facts.demands(anyRequest, main, connection).filter(({ kind }) => kind !== "reported");
}

const keyOf = ({ subject, name }: { subject: string; name: string }): string => `${subject}\n${name}`;
