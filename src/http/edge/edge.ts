import { type BodyBudget, type BodyLimits, createBodyBudget } from "./body-budget.ts";
import { type ConnectionCaps, type Connections, createConnections } from "./cap-connections.ts";

/** What all regions of one process share: the machine's sockets and memory. */
export interface Edge {
  connections: Connections;
  bodies: BodyBudget;
  responses: BodyBudget;
}

export const createEdge = (caps: ConnectionCaps & { bodies?: BodyLimits; responses?: BodyLimits }): Edge => ({
  connections: createConnections(caps),
  bodies: createBodyBudget("requests", caps.bodies),
  responses: createBodyBudget("responses", caps.responses),
});
