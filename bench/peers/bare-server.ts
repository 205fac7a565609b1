import { createServer } from "node:http";

/**
 * The yardstick: node:http, which reads the body, parses it as JSON and answers bytes that were made beforehand. No
 * routes, no checks, no log, no store: as little as a server of JSON can do.
 */
const answers = new Map<string, string>(Object.entries(JSON.parse(process.argv[2] ?? "{}") as Record<string, string>));

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (part: string) => {
    text += part;
  });
  request.on("end", () => {
    const body: unknown = request.method === "GET" ? {} : JSON.parse(text);
    const answer = body === null ? undefined : answers.get(request.url ?? "");
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ result: { port: typeof address === "object" ? address?.port : null } });
});
process.on("SIGTERM", () => process.exit(0));
