import { type Platform, systemOfStep } from "../support/platform.ts";

/**
 * found: by looking. repeated: sent again. gone: sent again, and there was nothing left to delete. asked: a person is.
 * did not: the run failed, because the write did not happen.
 */
export type End = "found" | "repeated" | "gone" | "asked" | "did not";

/** How often the system was sent it, and what the caller learns. */
export type Ends = [times: number, End];

export interface Write {
  step: string;
  /** Asked for when its turn comes: some need a thing that is theirs alone. */
  input(platform: Platform): object | Promise<object>;
  /** If it is carried out, and then cut off. */
  ends: Ends;
  output?: object | undefined;
  more?: Partial<Expected> & {
    /** A path that cannot be read: no look can tell. */
    unreadable?(given: Record<string, unknown>): string;
  };
}

interface Expected {
  /** If it is cut off before it arrives. */
  before: Ends;
  /** What a second one gets. */
  repeat: object;
}

/** A write, and its row in the table of docs/lost-answers.md. */
export type LostWrite = Write & Expected & { row: string };

export interface Row {
  row: string;
  writes: LostWrite[];
  /** What the row covers besides: it is sent again, or not, as the row says. */
  also: readonly string[];
}

export const inRow = (
  row: string,
  { also = [], ...usual }: Expected & { also?: readonly string[] },
  ...writes: Write[]
): Row => ({
  row,
  writes: writes.map((write) => ({ row, ...usual, ...write, ...write.more })),
  also,
});

export const asked: Ends = [1, "asked"];
export const found: Ends = [1, "found"];
export const repeated: Ends = [2, "repeated"];
export const didNot: Ends = [1, "did not"];

/** Carried out again, or at least not refused. */
export const again = (output: object = {}) => ({ status: "succeeded", output });
export const skipped = (code: string) =>
  again({ body: { success: true, result: [{ status: "skipped", reasons: [{ code }] }] } });
export const refused = (code: string, system_code?: string) => ({
  status: "failed",
  problem: { code, ...(system_code !== undefined && { system_code }) },
});

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
    ends: Ends,
    output?: object,
    more?: Write["more"],
  ): Write => ({
    step,
    input: async (platform) => (await what(platform.sandboxes[systemOfStep(step)].ids, platform))(names),
    ends,
    output,
    ...(more && { more }),
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
