import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import type { Outbound } from "../../transport/outbound.ts";
import { createLine } from "./exchange.ts";
import { failureOfAnswer } from "./failure.ts";
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

/** Enough for any turn that calls tools; without it the library asks for more than some models of Anthropic's give. */
const anthropicTokensMax = 8_192;

/** Asks a model for one turn, through the one way out. What it answers is not acted upon here. */
export async function askModel(
  settings: ModelSettings,
  outbound: Pick<Outbound, "send">,
  chosen: ChosenModel,
  turn: ModelTurn,
  now: () => Date,
): Promise<ModelOutcome> {
  const line = createLine(settings, outbound, chosen, turn, now);
  try {
    const answer = await generate(await openModel(settings, chosen, line.fetch), chosen, turn);
    return { answer, attempts: line.attempts };
  } catch (error) {
    const failure = line.failure() ?? failureOfAnswer(error instanceof Error ? error.message : String(error));
    const last = line.attempts.at(-1);
    if (last) last.problem = { code: failure.code, detail: failure.detail };
    return { failure, attempts: line.attempts };
  }
}

async function generate(model: LanguageModel, { provider }: ChosenModel, turn: ModelTurn): Promise<ModelAnswer> {
  const { generateText, jsonSchema, tool } = await libraries();
  const tools: ToolSet = Object.fromEntries(
    // Without `execute`: a call is journalled before anything is done about it, and that is not the library's business.
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
  const calls = result.toolCalls.map(
    ({ toolCallId, toolName, input, providerMetadata }): ModelCall => ({
      id: toolCallId,
      name: toolName,
      input,
      ...(providerMetadata === undefined ? {} : { provider_metadata: providerMetadata }),
    }),
  );
  const { inputTokens, outputTokens } = result.usage;
  const told = inputTokens !== undefined && outputTokens !== undefined;
  const usage = told ? { input_tokens: inputTokens, output_tokens: outputTokens } : reckoned(turn, result.text, calls);
  return { text: result.text, tool_calls: calls, finish_reason: result.finishReason, usage };
}

const charactersInToken = 4;

/** A cap on tokens must hold for servers that do not count them, too. */
function reckoned(turn: ModelTurn, text: string, calls: readonly ModelCall[]): TokenUse {
  const tokensOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / charactersInToken);
  return { input_tokens: tokensOf(turn), output_tokens: tokensOf([text, calls]), estimated: true };
}

/** They take a quarter of a second to load, which a server without agents need not spend. */
async function libraries() {
  const ai = await import("ai");
  // It would write its warnings to the console, between the lines of the log.
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

/** A name that the model made up may be one that its own server does not take back. */
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
      // What was no JSON cannot be shown as such again: the result beside it says what was wrong.
      input: typeof call.input === "object" && call.input !== null ? call.input : {},
      ...(call.provider_metadata === undefined ? {} : { providerOptions: call.provider_metadata as never }),
    })),
  ];
}
