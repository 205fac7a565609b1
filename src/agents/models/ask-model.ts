import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import type { Outbound } from "../../transport/outbound.ts";
import type {
  AgentMessage,
  ChosenModel,
  ModelAnswer,
  ModelCall,
  ModelOutcome,
  ModelSettings,
  ModelTurn,
  TokenUse,
} from "./model.ts";
import { failureOfAnswer } from "./model-failure.ts";
import { createModelFetch } from "./model-fetch.ts";

/** Enough for any turn that calls tools; without it the library asks for more than some models of Anthropic allow. */
const anthropicTokensMax = 8_192;

/** Asks a model for one turn, through our transport. The answer is not acted upon here. */
export async function askModel(
  settings: ModelSettings,
  outbound: Pick<Outbound, "send">,
  chosen: ChosenModel,
  turn: ModelTurn,
  now: () => Date,
): Promise<ModelOutcome> {
  const server = createModelFetch(settings, outbound, chosen, turn, now);
  try {
    const answer = await generate(await openModel(settings, chosen, server.fetch), chosen, turn);
    return { answer, attempts: server.attempts };
  } catch (error) {
    const failure = server.failure() ?? failureOfAnswer(error instanceof Error ? error.message : String(error));
    const last = server.attempts.at(-1);
    if (last) last.problem = { code: failure.code, detail: failure.detail };
    return { failure, attempts: server.attempts };
  }
}

async function generate(model: LanguageModel, { provider }: ChosenModel, turn: ModelTurn): Promise<ModelAnswer> {
  const { generateText, jsonSchema, tool } = await libraries();
  const tools: ToolSet = Object.fromEntries(
    // Without `execute`: the journal records a call before it is made, which the library cannot do.
    turn.tools.map(({ name, description, schema }) => [name, tool({ description, inputSchema: jsonSchema(schema) })]),
  );
  const result = await generateText({
    model,
    instructions: turn.instructions,
    messages: turn.messages.map(toModelMessage),
    tools,
    maxRetries: 0,
    ...(provider === "anthropic" ? { maxOutputTokens: anthropicTokensMax } : {}),
  });
  let left = argumentsMax;
  const withinMax = (input: unknown): unknown => {
    const count = countValues(input, left);
    left -= Math.min(count, left);
    return count <= argumentsMax ? input : "(too many values, or nested too deep)";
  };
  const calls = result.toolCalls.map(
    ({ toolCallId, toolName, input, providerMetadata }): ModelCall => ({
      id: toolCallId,
      name: toolName,
      input: withinMax(input),
      ...(providerMetadata === undefined ? {} : { provider_metadata: providerMetadata }),
    }),
  );
  const { inputTokens, outputTokens } = result.usage;
  const isReported = inputTokens !== undefined && outputTokens !== undefined;
  const usage = isReported
    ? { input_tokens: inputTokens, output_tokens: outputTokens }
    : estimateUse(turn, result.text, calls);
  return { text: result.text, tool_calls: calls, finish_reason: result.finishReason, usage };
}

/** Of all calls in one turn. The libraries read them again in each turn that follows. */
const argumentsMax = 10_000;
/** JSON that is nested deeper cannot be written again. */
const depthMax = 100;

/** How many values arguments have; without end if they are too many, or nested too deep. */
function countValues(value: unknown, max: number, levels = depthMax): number {
  if (typeof value !== "object" || value === null) return 1;
  const inside = Object.values(value);
  let count = inside.length;
  if (levels === 0 || count > max) return Number.POSITIVE_INFINITY;
  for (const each of inside) {
    if (typeof each === "object" && each !== null) count += countValues(each, max - count, levels - 1);
    if (count > max) return Number.POSITIVE_INFINITY;
  }
  return count;
}

const charactersInToken = 4;

/** A cap on tokens must also hold for servers that do not count them. */
function estimateUse(turn: ModelTurn, text: string, calls: readonly ModelCall[]): TokenUse {
  const tokensOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / charactersInToken);
  return { input_tokens: tokensOf(turn), output_tokens: tokensOf([text, calls]), estimated: true };
}

/** Loading them takes a quarter of a second, which a server without agents need not spend. */
async function libraries() {
  const ai = await import("ai");
  // The library would write warnings to the console, between the lines of the log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return ai;
}

async function openModel(settings: ModelSettings, chosen: ChosenModel, through: typeof fetch): Promise<LanguageModel> {
  if (chosen.provider === "anthropic" && settings.anthropic) {
    const { baseUrl: baseURL, apiKey } = settings.anthropic;
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey: apiKey.reveal(), fetch: through })(chosen.model);
  }
  if (chosen.provider === "openai" && settings.openai) {
    const { baseUrl: baseURL, apiKey } = settings.openai;
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const key = apiKey ? { apiKey: apiKey.reveal() } : {};
    return createOpenAICompatible({ name: "openai", baseURL, ...key, fetch: through }).chatModel(chosen.model);
  }
  throw new Error(`${chosen.provider} is not set up.`);
}

function toModelMessage(message: AgentMessage): ModelMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text };
    case "assistant":
      return { role: "assistant", content: assistantParts(message) };
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ call, text, isError }) => ({
          type: "tool-result",
          toolCallId: call.id,
          toolName: shownName(call),
          output: { type: isError ? "error-text" : "text", value: text },
        })),
      };
  }
}

/** A model may invent a name that its own server refuses. */
const shownName = ({ name }: ModelCall): string => name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed";

type AssistantContent = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>;

function assistantParts({ text, calls }: Extract<AgentMessage, { role: "assistant" }>): AssistantContent {
  const said: AssistantContent = text === "" && calls.length > 0 ? [] : [{ type: "text", text }];
  return [
    ...said,
    ...calls.map((call): AssistantContent[number] => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: shownName(call),
      // Arguments that were not JSON cannot be sent back as such: the result beside them says what was wrong.
      input: typeof call.input === "object" && call.input !== null ? call.input : {},
      ...(call.provider_metadata === undefined ? {} : { providerOptions: call.provider_metadata as never }),
    })),
  ];
}
