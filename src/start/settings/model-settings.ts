import type { ModelSettings } from "../../agents/models/model.ts";
import { findModel } from "../../agents/models/providers.ts";
import type { Secret } from "../../kernel/secret.ts";
import { refuseOrigin } from "../../transport/address-guard.ts";
import { setting } from "./define-setting.ts";
import { readBaseUrl, readSecretWord, readWord, wholeNumber } from "./read-setting-values.ts";

/** The language models of agents. */
export const modelSettings = {
  openaiBaseUrl: setting({
    name: "SIGNALBOX_OPENAI_BASE_URL",
    defaultText: null,
    means:
      "A server with OpenAI's chat completions API, for agents. Default if only the key is set: `https://api.openai.com/v1`. A server in a private network must be listed in SIGNALBOX_PRIVATE_HOSTS_MODELS.",
    read: readBaseUrl,
  }),
  openaiApiKey: setting({
    name: "SIGNALBOX_OPENAI_API_KEY",
    defaultText: null,
    means: "The API key for that server. Some servers need none. Agents name its models as `openai:<model>`.",
    read: readSecretWord,
  }),
  anthropicBaseUrl: setting({
    name: "SIGNALBOX_ANTHROPIC_BASE_URL",
    defaultText: null,
    means:
      "A server with Anthropic's messages API, for agents. Default if only the key is set: `https://api.anthropic.com/v1`. A server in a private network must be listed in SIGNALBOX_PRIVATE_HOSTS_MODELS.",
    read: readBaseUrl,
  }),
  anthropicApiKey: setting({
    name: "SIGNALBOX_ANTHROPIC_API_KEY",
    defaultText: null,
    means: "The API key for that server. Agents name its models as `anthropic:<model>`.",
    read: readSecretWord,
  }),
  defaultModel: setting({
    name: "SIGNALBOX_DEFAULT_MODEL",
    defaultText: null,
    means:
      "The model of agents that name none: `openai:<model>` or `anthropic:<model>`. Agents without a model only apply their rules.",
    read: readWord,
  }),
  modelTimeoutSeconds: setting({
    name: "SIGNALBOX_MODEL_TIMEOUT_SECONDS",
    defaultText: "120",
    means: "How long a model may take for one turn. After that, Signalbox retries a few times.",
    read: wholeNumber(1, 600),
  }),
  modelCallsMax: setting({
    name: "SIGNALBOX_MODEL_CALLS_MAX",
    defaultText: "32",
    means:
      "How many turns of models a server runs at once; several processes (SIGNALBOX_PROCESSES) have an equal share each. One organization has at most three quarters of what the others leave, and one turn in any case. Further turns wait, so that other runs can continue: a process works on 64 runs at once.",
    read: wholeNumber(1, 1000),
  }),
};

/** The settings of models, each null if not set. */
export interface GivenModels {
  openaiBaseUrl: string | null;
  openaiApiKey: Secret | null;
  anthropicBaseUrl: string | null;
  anthropicApiKey: Secret | null;
  defaultModel: string | null;
  timeoutSeconds: number;
  callsMax: number;
}

const openaiStandard = "https://api.openai.com/v1";
const anthropicStandard = "https://api.anthropic.com/v1";

/** The models that this process can use, or a sentence that says which setting cannot be used. */
export function modelsFrom(given: GivenModels, privateHosts: readonly string[]): ModelSettings | string {
  const { openaiApiKey, anthropicApiKey, defaultModel, timeoutSeconds, callsMax } = given;
  if (given.anthropicBaseUrl !== null && anthropicApiKey === null) {
    return "SIGNALBOX_ANTHROPIC_API_KEY is required because SIGNALBOX_ANTHROPIC_BASE_URL is set.";
  }
  const hasOpenai = given.openaiBaseUrl !== null || openaiApiKey !== null;
  const settings: ModelSettings = {
    openai: hasOpenai ? { baseUrl: given.openaiBaseUrl ?? openaiStandard, apiKey: openaiApiKey } : null,
    anthropic: anthropicApiKey && { baseUrl: given.anthropicBaseUrl ?? anthropicStandard, apiKey: anthropicApiKey },
    defaultModel,
    timeoutSeconds,
    callsMax,
  };
  const chosen = defaultModel === null ? null : findModel(settings, defaultModel);
  if (chosen && "missing" in chosen) return `SIGNALBOX_DEFAULT_MODEL cannot be used: ${chosen.missing}`;
  return (
    refused("SIGNALBOX_OPENAI_BASE_URL", settings.openai?.baseUrl, privateHosts) ??
    refused("SIGNALBOX_ANTHROPIC_BASE_URL", settings.anthropic?.baseUrl, privateHosts) ??
    settings
  );
}

/** The origins of the models, each once. */
export function modelOriginsOf({ openai, anthropic }: Pick<ModelSettings, "openai" | "anthropic">): string[] {
  const given = [openai, anthropic].filter((server) => server !== null);
  return [...new Set(given.map(({ baseUrl }) => new URL(baseUrl).origin))];
}

/** The same rule as for every other outbound address: a private one must be listed. */
function refused(name: string, baseUrl: string | undefined, privateHosts: readonly string[]): string | null {
  if (baseUrl === undefined) return null;
  const { origin } = new URL(baseUrl);
  const why = privateHosts.includes(origin) ? null : refuseOrigin(origin);
  return (
    why && `${name} cannot be used: ${why} For a model of your own, add ${origin} to SIGNALBOX_PRIVATE_HOSTS_MODELS.`
  );
}
