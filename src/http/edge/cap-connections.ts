import type { Server } from "node:http";
import { BlockList, isIPv6, type Socket } from "node:net";
import { subjectOf } from "../../calls/rate-limits/counted-subject.ts";

export interface ConnectionCaps {
  connectionsMax: number;
  connectionsPerAddressMax: number;
  /** Their connections carry many callers, so they count only towards the total. */
  trustedProxies: string[];
}

/** Unless the operator sets SIGNALBOX_CONNECTIONS_MAX and SIGNALBOX_CONNECTIONS_PER_ADDRESS_MAX. */
export const defaultConnectionCaps = { connectionsMax: 10_000, connectionsPerAddressMax: 1_000 };

/** Why a connection is refused. */
export type ConnectionRefusal = "everything" | "address";

/** Counts open connections of all regions of this process, in total and per address. */
export interface Connections {
  take(socket: Socket): ConnectionRefusal | null;
  open(): number;
  refused(): number;
}

export function createConnections(caps: ConnectionCaps): Connections {
  const isProxy = proxyMatcher(caps.trustedProxies);
  const byAddress = new Map<string, number>();
  let open = 0;
  let refused = 0;

  return {
    take(socket) {
      const { remoteAddress = "" } = socket;
      const name = isProxy(remoteAddress) ? null : subjectOf(remoteAddress);
      const fromThere = name === null ? 0 : (byAddress.get(name) ?? 0);
      if (open >= caps.connectionsMax || fromThere >= caps.connectionsPerAddressMax) {
        refused++;
        return open >= caps.connectionsMax ? "everything" : "address";
      }
      open++;
      if (name !== null) byAddress.set(name, fromThere + 1);
      socket.once("close", () => {
        open--;
        if (name === null) return;
        const left = (byAddress.get(name) ?? 0) - 1;
        if (left > 0) byAddress.set(name, left);
        else byAddress.delete(name);
      });
      return null;
    },
    open: () => open,
    refused: () => refused,
  };
}

/** Runs before the parser sees a byte. */
export function guardConnections(
  server: Server,
  connections: Connections,
  refuse: (socket: Socket, why: ConnectionRefusal) => void,
): void {
  const takeIn = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const why = connections.take(socket);
    if (why !== null) {
      // Idle clients can open another connection for their next call.
      if (why === "everything") server.closeIdleConnections();
      refuse(socket, why);
      return;
    }
    for (const listener of takeIn) listener.call(server, socket);
  });
}

/** A proxy on this machine connects from here, listed or not. */
const ownAddresses = ["127.0.0.1", "::1"];

function proxyMatcher(trusted: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of [...ownAddresses, ...trusted]) {
    const [address = "", prefix] = range.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = subjectOf(address).includes("/") ? address : subjectOf(address);
    return list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
  };
}
