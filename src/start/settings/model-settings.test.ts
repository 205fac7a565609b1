import { describe, expect, test } from "vitest";
import { findModel } from "../../agents/models/providers.ts";
import { readConfig } from "./config.ts";
import { SettingRefused } from "./setting-refused.ts";

const models = (environment: Record<string, string>) =>
  readConfig({ SIGNALBOX_MASTER_KEY: Buffer.alloc(32).toString("base64"), ...environment }).models;
const key = "sk-not-a-real-key";

const refusalOf = (environment: Record<string, string>): string => {
  try {
    models(environment);
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(SettingRefused);
    return (error as Error).message;
  }
};

describe("the settings of models", () => {
  test("none of them is needed", () => {
    expect(models({})).toMatchObject({
      openai: null,
      anthropic: null,
      defaultModel: null,
      timeoutSeconds: 120,
      callsMax: 32,
    });
  });

  test("a key is enough, and prints as a secret", () => {
    const { openai, anthropic } = models({ SIGNALBOX_OPENAI_API_KEY: key, SIGNALBOX_ANTHROPIC_API_KEY: key });
    expect(openai?.baseUrl).toBe("https://api.openai.com/v1");
    expect(anthropic?.baseUrl).toBe("https://api.anthropic.com/v1");
    expect(openai?.apiKey?.reveal()).toBe(key);
    expect(JSON.stringify({ openai, anthropic })).not.toContain(key);
  });

  test("a server of one's own needs no key; in a private network it must be allowed by name", () => {
    const SIGNALBOX_OPENAI_BASE_URL = "http://10.0.0.5:11434/v1";
    expect(refusalOf({ SIGNALBOX_OPENAI_BASE_URL })).toContain("add http://10.0.0.5:11434 to SIGNALBOX_PRIVATE_HOSTS");
    const allowed = { SIGNALBOX_OPENAI_BASE_URL, SIGNALBOX_PRIVATE_HOSTS: "http://10.0.0.5:11434" };
    expect(models(allowed).openai).toEqual({ baseUrl: SIGNALBOX_OPENAI_BASE_URL, apiKey: null });
  });

  test.each([
    [{ SIGNALBOX_OPENAI_BASE_URL: "ftp://x" }, "SIGNALBOX_OPENAI_BASE_URL"],
    [{ SIGNALBOX_OPENAI_BASE_URL: "https://127.0.0.1/v1" }, "SIGNALBOX_OPENAI_BASE_URL"],
    [{ SIGNALBOX_ANTHROPIC_BASE_URL: "https://models.example.com" }, "SIGNALBOX_ANTHROPIC_API_KEY is required because"],
    [{ SIGNALBOX_OPENAI_API_KEY: "two words" }, "SIGNALBOX_OPENAI_API_KEY"],
    [{ SIGNALBOX_DEFAULT_MODEL: "openai:gpt-x" }, "SIGNALBOX_OPENAI_API_KEY"],
    [{ SIGNALBOX_DEFAULT_MODEL: "anthropic:c", SIGNALBOX_OPENAI_API_KEY: key }, "SIGNALBOX_ANTHROPIC_API_KEY"],
    [{ SIGNALBOX_MODEL_TIMEOUT_SECONDS: "0" }, "SIGNALBOX_MODEL_TIMEOUT_SECONDS"],
  ])("%j stops the start, and says which", (environment, named) => {
    const refusal = refusalOf(environment as Record<string, string>);
    expect(refusal).toContain(named);
    expect(refusal).not.toContain("two words");
  });

  test("a model is named with its server before a colon, or without it where there is one server", () => {
    const one = models({ SIGNALBOX_OPENAI_API_KEY: key, SIGNALBOX_DEFAULT_MODEL: "openai:gpt-x" });
    const both = models({ SIGNALBOX_OPENAI_API_KEY: key, SIGNALBOX_ANTHROPIC_API_KEY: key });
    expect(findModel(one, null)).toEqual({ provider: "openai", model: "gpt-x" });
    expect(findModel(one, "llama3:8b")).toEqual({ provider: "openai", model: "llama3:8b" });
    expect(findModel(both, "anthropic:claude-x")).toEqual({ provider: "anthropic", model: "claude-x" });
    expect(findModel(both, "claude-x")).toHaveProperty("missing");
    expect(findModel(both, null)).toHaveProperty("missing");
  });
});
