import type { Door } from "./door.ts";
import { readFault } from "./faults.ts";
import type { SandboxAnswer, SandboxCall } from "./sandbox.ts";

/** The control door: what a test or a demonstration does to a sandbox, beside the system's own API. */
export async function answerControl(door: Door, call: SandboxCall): Promise<SandboxAnswer> {
  const action = `${call.method} ${call.path}`;
  switch (action) {
    case "GET /_sandbox":
      return ok({ system: door.sandbox.system, ...door.sandbox.describe() });
    case "GET /_sandbox/requests":
      return ok({ requests: call.query.has("last") ? lastOf(door, call) : door.requests });
    case "GET /_sandbox/clock":
      return ok({ now: new Date(door.sandbox.clock.now()).toISOString() });
    case "GET /_sandbox/faults":
      return ok({ faults: door.faults.list() });
    case "GET /_sandbox/changes":
      return ok(await door.changes.after(call.query.has("after") ? Number(call.query.get("after")) : null));
    case "POST /_sandbox/reset":
      door.faults.clear();
      door.requests.length = 0;
      door.sandbox.clock.reset();
      door.sandbox.reset();
      await door.changes.tell(true);
      return ok({ reset: true });
    case "POST /_sandbox/faults":
      return withBody(call, (body) => addFault(door, body));
    case "POST /_sandbox/faults/remove":
      return withBody(call, (body) => ok({ removed: door.faults.remove(String(body.fault_id)) }));
    case "POST /_sandbox/clock":
      return told(
        door,
        withBody(call, (body) => moveClock(door, body)),
      );
    case "POST /_sandbox/limits":
      return told(
        door,
        withBody(call, (body) => changeLimits(door, body)),
      );
    default:
      return refused(
        404,
        `There is no ${action}; the door has GET /_sandbox, /requests, /changes, /clock, /faults, POST /reset, /faults, /faults/remove, /clock, /limits.`,
      );
  }
}

/** The newest lines, still oldest first. */
const lastOf = (door: Door, { query }: SandboxCall) => {
  const count = Math.floor(Number(query.get("last")));
  return count > 0 ? door.requests.slice(-count) : [];
};

/** Those who count along hear of it before the one who did it goes on. */
async function told(door: Door, answer: SandboxAnswer): Promise<SandboxAnswer> {
  if (answer.status === 200) await door.changes.tell(false);
  return answer;
}

function addFault(door: Door, body: Record<string, unknown>): SandboxAnswer {
  const fault = readFault(body);
  if (typeof fault === "string") return refused(400, fault);
  const { fault_id } = door.faults.add(fault);
  return ok({ fault: { ...fault, fault_id } });
}

function moveClock(door: Door, body: Record<string, unknown>): SandboxAnswer {
  const { clock } = door.sandbox;
  const { advance_seconds: seconds, now } = body;
  const isAdvance = typeof seconds === "number" && seconds >= 0;
  const target = isAdvance ? clock.now() + seconds * 1000 : typeof now === "string" ? Date.parse(now) : now;
  // What is no date any more could not be told, and would stay until a reset.
  if (typeof target !== "number" || Number.isNaN(new Date(target).getTime())) {
    return refused(400, "Send `advance_seconds` (a number, 0 or more) or `now` (a time), within what a date can say.");
  }
  if (isAdvance) clock.advance(seconds);
  else clock.set(target);
  return ok({ now: new Date(clock.now()).toISOString() });
}

function changeLimits(door: Door, body: Record<string, unknown>): SandboxAnswer {
  const problem = door.sandbox.setLimits(body);
  return problem === null ? ok({ limits: door.sandbox.describe().limits }) : refused(400, problem);
}

function withBody(call: SandboxCall, act: (body: Record<string, unknown>) => SandboxAnswer): SandboxAnswer {
  try {
    const body: unknown = JSON.parse(call.body.toString() || "{}");
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return act(body as Record<string, unknown>);
  } catch {
    // Said below, as for everything else that is no object.
  }
  return refused(400, "The body must be a JSON object.");
}

const ok = (body: object): SandboxAnswer => ({ status: 200, body });
const refused = (status: number, message: string): SandboxAnswer => ({ status, body: { error: message } });
