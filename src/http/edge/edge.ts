import { type BodyRoom, type BodyRoomSizes, createBodyRoom } from "./body-budget.ts";
import { type ConnectionCaps, type Connections, createConnections } from "./connections.ts";

/** What the regions of one process share at their doors: one machine's sockets and memory. */
export interface Edge {
  connections: Connections;
  bodies: BodyRoom;
}

export const createEdge = (caps: ConnectionCaps & { bodies?: BodyRoomSizes }): Edge => ({
  connections: createConnections(caps),
  bodies: createBodyRoom(caps.bodies),
});
