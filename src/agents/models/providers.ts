import type { Outbound } from "../../transport/outbound.ts";
import { askModel } from "./ask-model.ts";
import type { ChosenModel, ModelProvider, ModelSettings, Models } from "./model.ts";

export function createModels(settings: ModelSettings, outbound: Pick<Outbound, "send">): Models {
  const underWay = new Map<string, number>();
  const underWayOf = (organizationId: string): number => underWay.get(organizationId) ?? 0;
  const count = (organizationId: string, by: number): void => {
    const left = underWayOf(organizationId) + by;
    if (left > 0) underWay.set(organizationId, left);
    else underWay.delete(organizationId);
  };
  return {
    find: (name) => findModel(settings, name),
    isBusy(organizationId) {
      const own = underWayOf(organizationId);
      const others = underWay.values().reduce((sum, each) => sum + each, 0) - own;
      return own >= shareOf(settings.callsMax - others);
    },
    async ask(organizationId, chosen, turn, now) {
      count(organizationId, 1);
      try {
        return await askModel(settings, outbound, chosen, turn, now);
      } finally {
        count(organizationId, -1);
      }
    },
  };
}

/** Three quarters of what the others leave, as of the workers, so that the next organization finds some; one in any case. */
const shareOf = (left: number): number => Math.max(1, Math.floor((left * 3) / 4));

const keySettings: Record<ModelProvider, string> = {
  openai: "SIGNALBOX_OPENAI_API_KEY (or, for another server that speaks its protocol, SIGNALBOX_OPENAI_BASE_URL)",
  anthropic: "SIGNALBOX_ANTHROPIC_API_KEY",
};

/** `openai:gpt-…`, `anthropic:claude-…`; the prefix may be left out if only one of the two is configured. */
export function findModel(settings: ModelSettings, name: string | null): ChosenModel | { missing: string } {
  const named = name ?? settings.defaultModel;
  const available = (["openai", "anthropic"] as const).filter((provider) => settings[provider] !== null);
  if (available.length === 0) {
    const settingsToSet = `${keySettings.openai} or ${keySettings.anthropic}`;
    return {
      missing: `No model is set up on this server: set ${settingsToSet}, and SIGNALBOX_DEFAULT_MODEL for agents that name none.`,
    };
  }
  if (named === null) {
    return { missing: "The agent names no model, and the settings have none for all: set SIGNALBOX_DEFAULT_MODEL." };
  }
  const { provider, model } = readModelName(named);
  if (provider === null) {
    const [only, another] = available;
    if (only && !another) return { provider: only, model };
    return { missing: `"${named}" may be a model of either server: write openai:${model} or anthropic:${model}.` };
  }
  if (settings[provider] !== null) return { provider, model };
  return { missing: `${named} is not available on this server: set ${keySettings[provider]}.` };
}

/** Names such as llama3:8b have colons of their own, so only our two prefixes count. */
export function readModelName(name: string): { provider: ModelProvider | null; model: string } {
  const [, provider, model] = /^(openai|anthropic):(.+)$/s.exec(name) ?? [];
  return provider === undefined
    ? { provider: null, model: name }
    : { provider: provider as ModelProvider, model: model ?? "" };
}
