import { createServer, type Socket } from "node:net";
import { connectBehind, cutAll } from "./forward-connection.ts";

// Forwards ports one by one. When its parent stops it (SIGSTOP), no new connection is accepted: the backlog of a port
// is one.
const [from = 0, to = 0, count = 0] = process.argv.slice(2).map(Number);
const sockets = new Set<Socket>();

function join(near: Socket, port: number): void {
  const far = connectBehind(near, port, sockets);
  near.pipe(far);
  far.pipe(near);
}

for (let index = 0; index < count; index++) {
  const server = createServer((near) => join(near, to + index));
  await new Promise<void>((resolve) => server.listen({ port: from + index, host: "127.0.0.1", backlog: 1 }, resolve));
}

process.on("message", () => {
  cutAll(sockets);
  process.send?.("cut");
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
