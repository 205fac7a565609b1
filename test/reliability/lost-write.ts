import type { Platform } from "../support/platform.ts";

/** found: by looking. repeated: sent again. gone: sent again, and there was nothing left to delete. asked: a person is. */
export type End = "found" | "repeated" | "gone" | "asked";

export interface LostWrite {
  write: string;
  step: string;
  /** Asked for when its turn comes: some need a thing that is theirs alone. */
  input(platform: Platform): object | Promise<object>;
  /** How often the system was sent it, and what the caller learns. */
  ends: [times: number, End];
  output?: object;
}

export const call = (method: string, where: string, body?: object, query?: object) => (name: string) => ({
  method,
  [name]: where,
  ...(body && { body }),
  ...(query && { [name === "endpoint" && where.startsWith("/rest") ? "query_parameters" : "query"]: query }),
});
type Call = ReturnType<typeof call>;

export const marketing = (
  write: string,
  what: (ids: Platform["sandboxes"]["marketing"]["ids"]) => Call,
  ends: LostWrite["ends"],
  output?: object,
): LostWrite => ({
  write,
  step: "marketing_api_call",
  input: ({ sandboxes }) => what(sandboxes.marketing.ids)("endpoint"),
  ends,
  ...(output && { output }),
});
export const deployment = (
  write: string,
  what: (platform: Platform) => Call | Promise<Call>,
  ends: LostWrite["ends"],
): LostWrite => ({
  write,
  step: "deployment_api_call",
  input: async (platform) => (await what(platform))("path"),
  ends,
});
export const analytics = (
  write: string,
  what: (platform: Platform) => Call | Promise<Call>,
  ends: LostWrite["ends"],
): LostWrite => ({
  write,
  step: "analytics_api_call",
  input: async (platform) => (await what(platform))("endpoint"),
  ends,
});
