import { isObject } from "../gateway/api-request.ts";
import { invalidValue, Refusal } from "../gateway/refusal.ts";
import type { Settings } from "../gateway/settings.ts";
import type { Campaign } from "../records.ts";

const tokenName = /^\{\{my\.[^{}]+\}\}$/;

/** Values for a run's tokens: names wear braces and `my.`, and must exist where the campaign stands. */
export function checkTokens(settings: Settings, campaign: Campaign, tokens: unknown): void {
  if (tokens === undefined || tokens === null) return;
  if (!Array.isArray(tokens)) throw invalidValue("tokens", tokens);
  if (tokens.length > settings.trigger_tokens) {
    throw new Refusal("1003", `Too many tokens: ${tokens.length}, at most ${settings.trigger_tokens} are allowed`);
  }
  for (const token of tokens as unknown[]) {
    const name = isObject(token) ? token.name : token;
    if (typeof name !== "string" || !tokenName.test(name)) throw invalidValue("name", name);
    if (!campaign.tokens.includes(name)) throw new Refusal("1003", `Token '${name}' not found`);
  }
}
