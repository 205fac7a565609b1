import type { ControlState } from "./control-state.ts";
import { readFault } from "./faults.ts";
import type { SandboxAnswer, SandboxCall } from "./sandbox.ts";

/** The control API: what a test or a demonstration does to a sandbox, beside the system's own API. */
export async function answerControl(state: ControlState, call: SandboxCall): Promise<SandboxAnswer> {
  const action = `${call.method} ${call.path}`;
  switch (action) {
    case "GET /_sandbox":
      return ok({ system: state.sandbox.system, ...state.sandbox.describe() });
    case "GET /_sandbox/requests":
      return ok({ requests: call.query.has("last") ? lastOf(state, call) : state.requests });
    case "GET /_sandbox/clock":
      return ok({ now: new Date(state.sandbox.clock.now()).toISOString() });
    case "GET /_sandbox/faults":
      return ok({ faults: state.faults.list() });
    case "GET /_sandbox/changes":
      return ok(await state.changes.after(call.query.has("after") ? Number(call.query.get("after")) : null));
    case "POST /_sandbox/reset":
      state.faults.clear();
      state.requests.length = 0;
      state.sandbox.clock.reset();
      state.sandbox.reset();
      await state.changes.tell(true);
      return ok({ reset: true });
    case "POST /_sandbox/faults":
      return withBody(call, (body) => addFault(state, body));
    case "POST /_sandbox/faults/remove":
      return withBody(call, (body) => ok({ removed: state.faults.remove(String(body.fault_id)) }));
    case "POST /_sandbox/clock":
      return told(
        state,
        withBody(call, (body) => moveClock(state, body)),
      );
    case "POST /_sandbox/limits":
      return told(
        state,
        withBody(call, (body) => changeLimits(state, body)),
      );
    default:
      return refused(
        404,
        `There is no ${action}; the control API has GET /_sandbox, /requests, /changes, /clock, /faults, POST /reset, /faults, /faults/remove, /clock, /limits.`,
      );
  }
}

/** The newest lines, still oldest first. */
const lastOf = (state: ControlState, { query }: SandboxCall) => {
  const count = Math.floor(Number(query.get("last")));
  return count > 0 ? state.requests.slice(-count) : [];
};

/** Those who count along hear of it before the one who did it goes on. */
async function told(state: ControlState, answer: SandboxAnswer): Promise<SandboxAnswer> {
  if (answer.status === 200) await state.changes.tell(false);
  return answer;
}

function addFault(state: ControlState, body: Record<string, unknown>): SandboxAnswer {
  const fault = readFault(body);
  if (typeof fault === "string") return refused(400, fault);
  const { fault_id } = state.faults.add(fault);
  return ok({ fault: { ...fault, fault_id } });
}

function moveClock(state: ControlState, body: Record<string, unknown>): SandboxAnswer {
  const { clock } = state.sandbox;
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

function changeLimits(state: ControlState, body: Record<string, unknown>): SandboxAnswer {
  const problem = state.sandbox.setLimits(body);
  return problem === null ? ok({ limits: state.sandbox.describe().limits }) : refused(400, problem);
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
