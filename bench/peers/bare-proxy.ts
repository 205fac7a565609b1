import { createServer } from "node:http";
import { type Dispatcher, Pool } from "undici";

/**
 * The barest proxy that Node can do: node:http in, undici's dispatch out, and the answer back as it came. It checks nothing,
 * knows nobody and keeps nothing.
 */

const pool = new Pool(process.argv[2] ?? "", { connections: 128, pipelining: 1 });

const server = createServer((request, response) => {
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart(_controller, status, headers) {
      response.writeHead(status, headers as Record<string, string>);
    },
    onResponseData(_controller, chunk) {
      response.write(chunk);
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      response.writeHead(502).end();
    },
  };
  pool.dispatch({ method: request.method as "GET", path: request.url ?? "", headers: sent }, handler);
});
const sent = ["accept", "application/json", "authorization", "Bearer bench"];

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ result: { port: typeof address === "object" ? address?.port : null } });
});
process.on("SIGTERM", () => process.exit(0));
