import type { RecordOf } from "../../../../client/wire.ts";
import { presentationOf } from "../../../state/systems.ts";
import type { Tone } from "../../../ui/Notice.tsx";

/** A connected account as the API returns it, and how its parts read on screen. */

export type Account = RecordOf<"/latest/connections/list">;
export type SystemRecord = RecordOf<"/latest/systems/list">;

/** What a change of an account makes stale. */
export const accountReads = [
  "/latest/connections/list",
  "/latest/connections/{connection_id}/get",
  "/latest/connections/{connection_id}/impact",
  "/latest/limits/list",
] as const;

export function stateOf({ state, health }: Account): { tone: Tone; text: string } {
  if (state === "removed") return { tone: "info", text: "Removed" };
  if (state === "needs_reconnect") return { tone: "bad", text: "Needs reconnecting" };
  if (health.ok === false) return { tone: "warn", text: "Last check failed" };
  return { tone: "good", text: "Connected" };
}

const instances: Record<string, string> = { live: "Live", sandbox: "Sandbox" };
export const instanceOf = ({ instance }: Account): string => instances[instance] ?? "Own address";

const levels = { viewer: "Viewer", editor: "Editor", administrator: "Administrator" };

/** The level at the system; null where the system has none. */
export function accessOf({ system, access_level: level }: Account): { title: string; allows: string } | null {
  return level === null ? null : { title: levels[level], allows: presentationOf(system)?.levels?.[level] ?? "" };
}

const ways: Record<string, string> = {
  oauth: "Signed in at the system",
  client_credentials: "Client ID and secret",
  token: "Pasted token",
  refresh_token: "Pasted refresh token",
  service_account: "Service account key",
};
export const wayOf = ({ way_in }: Account): string => ways[way_in] ?? way_in;

/** A grant that a person consented to is revoked on removal; pasted credentials belong to the person who pasted them. */
export const isPasted = ({ way_in }: Account): boolean => way_in !== "oauth";
