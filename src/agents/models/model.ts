import type { Secret } from "../../kernel/secret.ts";
import type { Attempt } from "../../steps/ports.ts";
import type { ModelFailure } from "./model-failure.ts";

/** The operator's settings of model servers and their keys. */
export interface ModelSettings {
  /** Any server that speaks OpenAI's chat completions. Some need no key. */
  openai: { baseUrl: string; apiKey: Secret | null } | null;
  anthropic: { baseUrl: string; apiKey: Secret } | null;
  /** For agents that name none. */
  defaultModel: string | null;
  timeoutSeconds: number;
  /** How many turns may be under way at once. */
  callsMax: number;
}

export type ModelProvider = "openai" | "anthropic";

/** A model that this server can ask. */
export interface ChosenModel {
  provider: ModelProvider;
  /** The name that its server knows. */
  model: string;
}

export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  schema: Record<string, unknown>;
}

/** A message of the run, as a model sees it. */
export type AgentMessage =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: readonly ModelCall[] }
  | { role: "tool"; results: readonly CallResult[] };

export interface CallResult {
  call: ModelCall;
  text: string;
  isError: boolean;
}

/** One turn: the messages so far, and the tools that the model may call. */
export interface ModelTurn {
  instructions: string;
  messages: readonly AgentMessage[];
  tools: readonly ModelTool[];
}

export interface ModelCall {
  id: string;
  name: string;
  /** As the model wrote it; a string if that was not JSON. */
  input: unknown;
  /** What some servers require back with the call. */
  provider_metadata?: unknown;
}

export interface TokenUse {
  input_tokens: number;
  output_tokens: number;
  /** The server reported no usage, so it was estimated from the lengths. */
  estimated?: true;
}

export interface ModelAnswer {
  text: string;
  tool_calls: ModelCall[];
  finish_reason: string;
  usage: TokenUse;
}

export type ModelOutcome = { attempts: Attempt[] } & ({ answer: ModelAnswer } | { failure: ModelFailure });

export interface Models {
  /** The model that a name refers to, or a sentence that says which setting is missing. */
  find(name: string | null): ChosenModel | { missing: string };
  /** Whether as many turns of the organization are under way as it may have. */
  isBusy(organizationId: string): boolean;
  /** Asks for one turn, without retries. */
  ask(organizationId: string, chosen: ChosenModel, turn: ModelTurn, now: () => Date): Promise<ModelOutcome>;
}
