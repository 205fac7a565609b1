import { createCaller, type HttpAnswer } from "../../support/processes/http-caller.ts";
import { pause, type World } from "../load/world.ts";

/** Who looks after each jump: the owner of the first run, by key. */
export interface Client {
  call(operation: string, body?: object, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** Without the key. */
  send(operation: string, body: object, headers: Record<string, string>): Promise<HttpAnswer>;
  /** Throws where it is refused. */
  done(operation: string, body?: object): Promise<HttpAnswer["body"]>;
  close(): void;
}

export function clientOf({ first, port }: World): Client {
  const caller = createCaller(port);
  const authorization = `Bearer ${first.project_id}:${first.api_key}`;
  const call: Client["call"] = (operation, body = {}, headers = {}) =>
    caller.call(operation, body, { authorization, ...headers });
  return {
    call,
    send: (operation, body, headers) => caller.call(operation, body, headers),
    async done(operation, body) {
      const answer = await call(operation, body);
      if (answer.status >= 300) throw new Error(`${operation} was answered ${answer.status} ${answer.text}`);
      return answer.body;
    },
    close: () => caller.close(),
  };
}

/** Asks until the answer is true, at most for so long. */
export async function becomes(secondsMax: number, isTrue: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const startedAt = performance.now(); !(await isTrue()); await pause(100))
    if (performance.now() - startedAt > secondsMax * 1000) return false;
  return true;
}

/** The server does now what it does every so many milliseconds; it was started with `bring-forward.ts`. Resolves when that has ended. */
export async function bringForward({ server }: World, every: number): Promise<void> {
  const done = await server.ask(String(every));
  if (done === 0) throw new Error(`The server does nothing every ${every} ms.`);
}
