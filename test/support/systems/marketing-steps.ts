import { afterAll, beforeAll, beforeEach } from "vitest";
import { createMarketingSandbox } from "../../../sandboxes/marketing/marketing.ts";
import { marketingApiCall } from "../../../src/systems/marketing/steps/marketing-api-call.ts";
import { type DriveAt, driveStep, startSandbox } from "./drive-step.ts";
import type { WrapSandbox } from "./vault.ts";

/** The marketing sandbox with the API Call step. */
export async function startMarketingSteps(wrap: WrapSandbox = (create) => create) {
  const sandbox = await startSandbox(wrap(createMarketingSandbox));
  const { credentials, ids = {} } = (await sandbox.control("")) as Record<string, Record<string, string>>;
  const { client_id: id = "", client_secret: secret = "" } = credentials ?? {};
  const query = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
  const token = (await (await fetch(`${sandbox.url}/identity/oauth/token?${query}`)).json()) as {
    access_token: string;
  };
  const at: DriveAt = { addresses: { main: sandbox.url }, token: token.access_token, identity: { label: "sandbox" } };
  const call = (input: Record<string, unknown>) => driveStep(marketingApiCall, input, at);
  return {
    ...sandbox,
    ids: ids as Record<string, number | string>,
    at,
    call,
    get: (endpoint: string, more = {}) => call({ method: "GET", endpoint, ...more }),
    async reset() {
      await sandbox.control("/reset", {});
      await sandbox.control("/limits", { rate_calls: null });
    },
  };
}

/** The same for a whole test file: begun before its tests, reset before each, and stopped after the last. */
export function useMarketingSteps() {
  let started: Awaited<ReturnType<typeof startMarketingSteps>> | undefined;
  const steps = () => {
    if (!started) throw new Error("The sandbox starts before the first test of the file.");
    return started;
  };
  const ids: Record<string, number | string> = {};
  beforeAll(async () => {
    started = await startMarketingSteps();
    Object.assign(ids, started.ids);
  });
  beforeEach(() => steps().reset());
  afterAll(() => started?.stop());
  return {
    /** Filled once the sandbox has started. */
    ids,
    get at() {
      return steps().at;
    },
    call: (input: Record<string, unknown>) => steps().call(input),
    get: (endpoint: string, more = {}) => steps().get(endpoint, more),
    control: (path: string, body?: object) => steps().control(path, body),
  };
}

/** The mistakes of an input, by member. */
export const problemsOf = (input: unknown): string[][] =>
  marketingApiCall.input.safeParse(input).error?.issues.map(({ path, message }) => [path.join("."), message]) ?? [];
