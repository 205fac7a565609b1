import type { RecordOf } from "../../../../client/wire.ts";
import type { Tone } from "../../../ui/Notice.tsx";

/** An API key as the list shows it. The key itself is never in it. */
export type ApiKey = RecordOf<"/latest/auth/keys/list">;

const states: Record<ApiKey["status"], { tone: Tone; text: string }> = {
  active: { tone: "good", text: "Active" },
  expired: { tone: "warn", text: "Expired" },
  revoked: { tone: "info", text: "Revoked" },
  deactivated: { tone: "bad", text: "Deactivated" },
};
export const stateOf = ({ status }: ApiKey) => states[status];

export const isUsable = ({ status }: ApiKey): boolean => status === "active" || status === "deactivated";

export const usableFirst = (keys: readonly ApiKey[]): ApiKey[] =>
  keys.toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a)));

export const nameOf = ({ label, hint }: ApiKey): string => label || `Key ending in ${hint}`;

export const roleCaps = [
  { value: "", label: "The same as yours" },
  { value: "viewer", label: "Viewer at most" },
  { value: "editor", label: "Editor at most" },
  { value: "admin", label: "Admin at most" },
];
export const roleCapOf = ({ max_role }: ApiKey): string =>
  roleCaps.find(({ value }) => value === (max_role ?? ""))?.label ?? "";

export const lifetimes = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "Never" },
];

/** Days from now as the API takes them; null for ever. */
export const expiryIn = (days: string): string | null =>
  days === "" ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
