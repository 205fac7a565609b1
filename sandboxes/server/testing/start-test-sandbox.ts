import { createClock } from "../clock.ts";
import type { RequestLine } from "../control-state.ts";
import type { Sandbox, SandboxCall } from "../sandbox.ts";
import { serveSandbox } from "../serve-sandbox.ts";

/** The smallest system there is: it counts the calls that reached it, and a library of its own answers `/library`. */
function createCountingSandbox(): Sandbox & { calls: SandboxCall[]; taken: string[] } {
  const calls: SandboxCall[] = [];
  const taken: string[] = [];
  let limit = 5;
  return {
    system: "marketing",
    clock: createClock(),
    calls,
    taken,
    handle(call) {
      calls.push(call);
      if (call.path === "/broken") throw new Error("ordered by a test");
      return { status: 200, headers: { "x-own": "yes" }, body: { count: calls.length }, identity: "somebody" };
    },
    takeOver: (method, path) =>
      path === "/library"
        ? (_request, response) => {
            taken.push(method);
            response.writeHead(201).end("by the library");
          }
        : null,
    describe: () => ({ credentials: {}, ids: {}, limits: { limit } }),
    reset() {
      calls.length = 0;
      limit = 5;
    },
    setLimits(limits) {
      if (typeof limits.limit !== "number") return "`limit` is a number.";
      limit = limits.limit;
      return null;
    },
    stop() {},
  };
}

/** A served sandbox with nothing in it but a counter. */
export async function startTestSandbox() {
  const system = createCountingSandbox();
  const served = await serveSandbox(() => system, 0);
  const { url } = served;
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
  const get = async (path: string) => (await fetch(`${url}${path}`)).json();
  return {
    system,
    url,
    post,
    get,
    order: (fault: object) => post("/_sandbox/faults", fault),
    requests: async () => ((await get("/_sandbox/requests")) as { requests: RequestLine[] }).requests,
    stop: () => served.stop(),
  };
}

export type TestSandbox = Awaited<ReturnType<typeof startTestSandbox>>;
