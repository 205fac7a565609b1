import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SilentModel {
  settings: NodeJS.ProcessEnv;
  /** What it answers from now on, as text; null for the usual. */
  says(completion: string | null): void;
  close(): void;
}

/** A model that says the same each time, so that agents have conversations. */
export async function startSilentModel(): Promise<SilentModel> {
  let said: string | null = null;
  const message = { role: "assistant", content: "Nothing to do." };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const completion = { object: "chat.completion", model: "silent", created: 1_730_000_000, usage };
  const choices = [{ index: 0, finish_reason: "stop", message }];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(said ?? JSON.stringify({ id: "chatcmpl-1", ...completion, choices }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: {
      SIGNALBOX_OPENAI_BASE_URL: `${origin}/v1`,
      SIGNALBOX_OPENAI_API_KEY: "sk-of-the-silent-model",
      SIGNALBOX_DEFAULT_MODEL: "openai:silent",
      SIGNALBOX_PRIVATE_HOSTS_MODELS: origin,
    },
    says(next) {
      said = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
