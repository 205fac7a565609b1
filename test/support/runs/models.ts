import type { IncomingMessage, ServerResponse } from "node:http";
import type { ModelSettings } from "../../../src/agents/models/model.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { serve } from "../processes/local-servers.ts";

/** Settings without a model. */
export const noModelSettings: ModelSettings = {
  openai: null,
  anthropic: null,
  defaultModel: null,
  timeoutSeconds: 120,
  callsMax: 32,
};

/** A turn of a scripted model: it says something, calls tools, or fails. */
export type Turn =
  | { text?: string; calls?: { name: string; input: unknown }[]; tokens?: [input: number, output: number] | null }
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { bytes: string }
  | { hangsUp: true };

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
type Body = any;
type Script = Turn | ((body: Body) => Turn | Promise<Turn>);

export interface ScriptedModel {
  origin: string;
  settings: ModelSettings;
  /** The bodies of its requests, oldest first. */
  asked: Body[];
  headers: IncomingMessage["headers"][];
  /** Its next turns; the last one repeats. */
  say(...turns: Script[]): void;
}

export const modelKey = "sk-test-of-the-model-0123456789";

type Shape = (turn: Extract<Turn, { text?: string }>, number: number) => unknown;

/** A scripted model on a free port that records its requests. */
async function startScripted(path: string, shape: Shape, settingsOf: (origin: string) => Partial<ModelSettings>) {
  const asked: Body[] = [];
  const headers: IncomingMessage["headers"][] = [];
  let script: Script[] = [{ text: "Nothing to do." }];
  let next = 0;
  const origin = await serve(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url !== path) return void response.writeHead(404).end();
    const body: Body = JSON.parse(Buffer.concat(chunks).toString());
    asked.push(body);
    headers.push(request.headers);
    const wanted = script[Math.min(next++, script.length - 1)] as Script;
    const turn = typeof wanted === "function" ? await wanted(body) : wanted;
    if ("hangsUp" in turn) return void request.socket.destroy();
    if ("bytes" in turn) return void response.writeHead(200, { "content-type": "application/json" }).end(turn.bytes);
    const [status, answer, more] =
      "status" in turn ? [turn.status, turn.body ?? {}, turn.headers ?? {}] : [200, shape(turn, asked.length), {}];
    response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(answer));
  });
  const model: ScriptedModel = {
    origin,
    settings: { ...noModelSettings, ...settingsOf(origin) },
    asked,
    headers,
    say(...turns) {
      script = turns;
      next = 0;
    },
  };
  return model;
}

/** Implements OpenAI's chat completions. */
export const startOpenAiModel = (): Promise<ScriptedModel> =>
  startScripted(
    "/v1/chat/completions",
    ({ text, calls = [], tokens = [100, 10] }, number) => ({
      id: `chatcmpl-${number}`,
      object: "chat.completion",
      created: 1_730_000_000,
      model: "scripted",
      choices: [
        {
          index: 0,
          finish_reason: calls.length > 0 ? "tool_calls" : "stop",
          message: {
            role: "assistant",
            content: text ?? null,
            ...(calls.length === 0
              ? {}
              : {
                  tool_calls: calls.map(({ name, input }, index) => ({
                    id: `call_${number}_${index}`,
                    type: "function",
                    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
                  })),
                }),
          },
        },
      ],
      ...(tokens && {
        usage: { prompt_tokens: tokens[0], completion_tokens: tokens[1], total_tokens: tokens[0] + tokens[1] },
      }),
    }),
    (origin) => ({
      openai: { baseUrl: `${origin}/v1`, apiKey: new Secret(modelKey) },
      defaultModel: "openai:scripted",
    }),
  );

/** Implements Anthropic's messages. */
export const startAnthropicModel = (): Promise<ScriptedModel> =>
  startScripted(
    "/v1/messages",
    ({ text, calls = [], tokens }, number) => ({
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [
        ...(text === undefined ? [] : [{ type: "text", text }]),
        ...calls.map(({ name, input }, index) => ({ type: "tool_use", id: `toolu_${number}_${index}`, name, input })),
      ],
      stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: tokens?.[0] ?? 100, output_tokens: tokens?.[1] ?? 10 },
    }),
    (origin) => ({
      anthropic: { baseUrl: `${origin}/v1`, apiKey: new Secret(modelKey) },
      defaultModel: "anthropic:scripted",
    }),
  );

/** The latest tool results in the model's input, as texts. */
export const resultsShown = (body: Body): string[] =>
  body.messages
    .slice(body.messages.findLastIndex(({ role }: { role: string }) => role === "assistant") + 1)
    .filter(({ role }: { role: string }) => role === "tool")
    .map(({ content }: { content: string }) => content);
