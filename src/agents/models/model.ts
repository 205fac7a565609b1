import type { Secret } from "../../kernel/secret.ts";
import type { Attempt } from "../../steps/ports.ts";
import type { ModelFailure } from "./failure.ts";

/** Where models are asked, and as whom: the operator's settings of this process. */
export interface ModelSettings {
  /** Any server that speaks OpenAI's chat completions. Some need no key. */
  openai: { baseUrl: string; apiKey: Secret | null } | null;
  anthropic: { baseUrl: string; apiKey: Secret } | null;
  /** For agents that name none. */
  defaultModel: string | null;
  timeoutSeconds: number;
  /** How many turns are asked for at once. */
  callsMax: number;
}

export type ModelProvider = "openai" | "anthropic";

/** A model that can be asked from here. */
export interface ChosenModel {
  provider: ModelProvider;
  /** As its server knows it. */
  model: string;
}

/** Something that the model may ask for. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  schema: Record<string, unknown>;
}

/** What was said in a run so far, as a model is shown it. */
export type AgentMessage =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: readonly ModelCall[] }
  | { role: "tool"; results: readonly CallResult[] };

export interface CallResult {
  call: ModelCall;
  text: string;
  isError: boolean;
}

/** One turn: all that was said so far, and what may be asked for. */
export interface ModelTurn {
  instructions: string;
  messages: readonly AgentMessage[];
  tools: readonly ModelTool[];
}

export interface ModelCall {
  id: string;
  name: string;
  /** As the model wrote it; a text where that was no JSON. */
  input: unknown;
  /** What some servers want to see again with the call. */
  provider_metadata?: unknown;
}

export interface TokenUse {
  input_tokens: number;
  output_tokens: number;
  /** The server told nothing, so it was reckoned from the lengths. */
  estimated?: true;
}

/** What the model said. */
export interface ModelAnswer {
  text: string;
  tool_calls: ModelCall[];
  finish_reason: string;
  usage: TokenUse;
}

export type ModelOutcome = { attempts: Attempt[] } & ({ answer: ModelAnswer } | { failure: ModelFailure });

export interface Models {
  /** The model that a name means here, or a sentence that says which setting is missing. */
  find(name: string | null): ChosenModel | { missing: string };
  /** Whether as many turns are asked for already as may be at once. */
  isBusy(): boolean;
  /** One turn, asked once. */
  ask(chosen: ChosenModel, turn: ModelTurn, now: () => Date): Promise<ModelOutcome>;
}
