import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  signature: string;
  raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into the event.
  event: any;
}

/** A real address that webhooks can be sent to. Answers with `status`, and lets a test wait for what comes. */
export async function startReceiver() {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const state = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    response.writeHead(state.status).end();
    const signature = String(request.headers["x-vercel-signature"]);
    received.push({ signature, raw, event: JSON.parse(raw.toString()) });
    for (const wake of [...waiting]) wake();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    state,
    received,
    types: () => received.map(({ event }) => event.type),
    /** Once so many have come. */
    async count(wanted: number): Promise<Received[]> {
      while (received.length < wanted) {
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
      return received;
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
