import { createClock } from "../../../sandboxes/server/clock.ts";
import type { CreateSandbox } from "../../../sandboxes/server/sandbox.ts";

const token = "tickets-demonstration-token";

/** The stand-in of the made-up system. */
export const createTicketsSandbox: CreateSandbox = () => ({
  system: "tickets",
  clock: createClock(),
  handle({ path, headers }) {
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: "who are you?" } };
    if (path === "/v1/me") return { status: 200, body: { email: "agent@tickets.example" } };
    return { status: 200, body: { subject: `About ${path}`, state: "closed" } };
  },
  describe: () => ({ credentials: { token }, ids: {}, limits: {} }),
  reset() {},
  setLimits: () => null,
  stop() {},
});
