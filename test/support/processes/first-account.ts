import { expect } from "vitest";
import { cleanUpLater } from "../stores.ts";
import { createCaller, type HttpAnswer } from "./http-caller.ts";
import { firstRunOf, startServer } from "./server-process.ts";

/** A server that ends with the test, called as the account of its first run, over as many connections as are given. */
export async function startWithAccount(home: string, settings: Record<string, string>, connections = 1) {
  const server = await startServer(home, settings);
  cleanUpLater(() => server.kill());
  const caller = createCaller(server.port, connections);
  cleanUpLater(async () => caller.close());
  const first = firstRunOf(home);
  const authorization = `Bearer ${first.project_id}:${first.api_key}`;
  const send = (operation: string, body: object = {}, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    caller.call(operation, body, { authorization, ...headers });
  return { ...server, first, connections: first.connections ?? {}, send };
}

/** Calls of a server that must succeed, and what they return. */
export const successOf =
  ({ send }: Pick<Awaited<ReturnType<typeof startWithAccount>>, "send">) =>
  async (operation: string, body: object = {}) => {
    const answer = await send(operation, body);
    expect([operation, answer.status, answer.text]).toEqual([operation, 200, expect.anything()]);
    return answer.body;
  };
