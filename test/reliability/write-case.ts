import { type Platform, systemOfStep } from "../support/platform.ts";

/** found: by looking. repeated: sent again. gone: sent again, and there was nothing left to delete. asked: a person is. */
export type End = "found" | "repeated" | "gone" | "asked";

export interface Write {
  step: string;
  /** Asked for when its turn comes: some need a thing that is theirs alone. */
  input(platform: Platform): object | Promise<object>;
  /** How often the system was sent it, and what the caller learns. */
  ends: [times: number, End];
  output?: object | undefined;
}

/** A write, and its row in the table of docs/lost-answers.md. */
export type LostWrite = Write & { row: string };

export const inRow = (row: string, ...writes: Write[]): LostWrite[] => writes.map((write) => ({ row, ...write }));

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
  (
    what: (ids: Platform["sandboxes"]["marketing"]["ids"], platform: Platform) => Call | Promise<Call>,
    ends: Write["ends"],
    output?: object,
  ): Write => ({
    step,
    input: async (platform) => (await what(platform.sandboxes[systemOfStep(step)].ids, platform))(names),
    ends,
    output,
  });

export const deployment = byApiCall("deployment_api_call", { where: "path", query: "query" });
export const analytics = byApiCall("analytics_api_call", { where: "endpoint", query: "query" });
export const marketing = byApiCall("marketing_api_call", { where: "endpoint", query: "query_parameters" });

/** What a step returns for something that a case needs beforehand. */
export async function made(platform: Platform, step: string, input: Record<string, unknown>) {
  const { body } = await platform.run(step, input);
  if (body.status !== "succeeded") throw new Error(JSON.stringify(body.problem));
  return body.output;
}
