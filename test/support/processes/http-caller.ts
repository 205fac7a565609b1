import { Agent, request } from "node:http";

export interface HttpAnswer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  body: any;
  headers: Record<string, string | string[] | undefined>;
}

/** The connection broke before the whole answer arrived: the call may have happened or not. */
export class AnswerLost extends Error {}

/** One client with one or several persistent connections, like a program. */
export interface HttpCaller {
  call(operation: string, body: unknown, headers: Record<string, string>): Promise<HttpAnswer>;
  close(): void;
}

export function createCaller(port: number, connections = 1): HttpCaller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    call: (operation, body, headers) =>
      new Promise((resolve, reject) => {
        const lost = (error: Error) => reject(new AnswerLost(error.message, { cause: error }));
        const text = JSON.stringify(body);
        const sent = request(
          {
            agent,
            port,
            host: "127.0.0.1",
            method: "POST",
            path: `/latest/${operation}`,
            headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...headers },
          },
          (response) => {
            let answer = "";
            response.setEncoding("utf8");
            response.on("data", (chunk: string) => {
              answer += chunk;
            });
            response.on("error", lost);
            response.on("end", () => {
              if (!response.complete) return lost(new Error("The answer ended too early."));
              const { statusCode: status = 0, headers: received } = response;
              const isJson = String(received["content-type"]).includes("json");
              resolve({ status, text: answer, body: isJson ? JSON.parse(answer) : answer, headers: received });
            });
          },
        );
        sent.on("error", lost);
        sent.end(text);
      }),
    close: () => agent.destroy(),
  };
}
