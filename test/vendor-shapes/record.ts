import type { CreateSandbox, SandboxCall } from "../../sandboxes/server/sandbox.ts";
import type { SentRequest } from "./judge.ts";

/** Wraps a sandbox so that everything that it receives is kept, from any sender. */
export const recording =
  (create: CreateSandbox, received: SentRequest[]): CreateSandbox =>
  (baseUrl) => {
    const sandbox = create(baseUrl);
    return {
      ...sandbox,
      handle(call) {
        received.push(sentOf(call));
        return sandbox.handle(call);
      },
    };
  };

function sentOf({ method, path, query, headers, body }: SandboxCall): SentRequest {
  const text = body.toString();
  const sent = { method, path, query: new URLSearchParams(query) };
  if (text === "") return sent;
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
  return { ...sent, body: isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text) };
}
