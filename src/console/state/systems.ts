import type { InputOf } from "../../client/wire.ts";

/** The external systems. Each table of the console that has an entry for each of them is checked against this type. */
export type SystemId = InputOf<"/latest/connections/connect">["system"];

/** What each is called, without waiting for `systems/list`. */
export const systemTitles: Record<string, string> = {
  marketing: "Marketing automation",
  deployment: "Deployment platform",
  analytics: "Web analytics",
} satisfies Record<SystemId, string>;
