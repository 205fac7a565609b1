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

/** A request that an API Call step sends, with the names that the step has for its parts. */
export const call = (method: string, where: string, body?: object, query?: object) => (names: InputNames) => ({
  method,
  [names.where]: where,
  ...(body && { body }),
  ...(query && { [names.query]: query }),
});
type Call = ReturnType<typeof call>;

interface InputNames {
  where: "endpoint" | "path";
  query: "query" | "query_parameters";
}

const byApiCall =
  (step: string, names: InputNames) =>
  (write: string, what: (platform: Platform) => Call | Promise<Call>, ends: LostWrite["ends"]): LostWrite => ({
    write,
    step,
    input: async (platform) => (await what(platform))(names),
    ends,
  });

export const deployment = byApiCall("deployment_api_call", { where: "path", query: "query" });
export const analytics = byApiCall("analytics_api_call", { where: "endpoint", query: "query" });
const byMarketing = byApiCall("marketing_api_call", { where: "endpoint", query: "query_parameters" });

export const marketing = (
  write: string,
  what: (ids: Platform["sandboxes"]["marketing"]["ids"]) => Call,
  ends: LostWrite["ends"],
  output?: object,
): LostWrite => ({
  ...byMarketing(write, ({ sandboxes }) => what(sandboxes.marketing.ids), ends),
  ...(output && { output }),
});
