import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { SettingRefused } from "./setting-refused.ts";

/** "Separate allowlists for steps, webhooks, models and identity providers." */

const read = (environment: Record<string, string>) =>
  readConfig({ SIGNALBOX_MASTER_KEY: Buffer.alloc(32).toString("base64"), ...environment });
const hosts = (environment: Record<string, string>) => read(environment).privateHosts;
const origin = "http://10.0.0.5:9000";

describe("the settings that open private addresses", () => {
  test("nothing set: nothing is open", () => {
    expect(hosts({})).toEqual({ steps: [], webhooks: [], models: [], identity: [] });
    expect(read({}).hints).toEqual([]);
  });

  test("SIGNALBOX_PRIVATE_HOSTS opens an address to steps and outgoing webhooks, and to no model", () => {
    expect(hosts({ SIGNALBOX_PRIVATE_HOSTS: origin })).toMatchObject({
      steps: [origin],
      webhooks: [origin],
      models: [],
    });
  });

  test("the narrower settings add for their use alone", () => {
    const opened = hosts({
      SIGNALBOX_PRIVATE_HOSTS: origin,
      SIGNALBOX_PRIVATE_HOSTS_STEPS: "http://10.0.0.6",
      SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS: "http://10.0.0.7, https://10.0.0.8:8443/",
      SIGNALBOX_PRIVATE_HOSTS_IDENTITY: "http://10.0.0.9",
    });
    expect(opened).toEqual({
      steps: [origin, "http://10.0.0.6"],
      webhooks: [origin, "http://10.0.0.7", "https://10.0.0.8:8443"],
      models: [],
      identity: ["http://10.0.0.9"],
    });
  });

  test("identity providers are where SIGNALBOX_PRIVATE_HOSTS says until they have a setting of their own", () => {
    const before = { SIGNALBOX_PRIVATE_HOSTS: origin };
    expect(hosts(before).identity).toEqual([origin]);
    expect(read(before).hints).toEqual([expect.stringContaining("SIGNALBOX_PRIVATE_HOSTS_IDENTITY is not set")]);
    const after = { ...before, SIGNALBOX_PRIVATE_HOSTS_IDENTITY: "none" };
    expect([hosts(after).identity, read(after).hints]).toEqual([[], []]);
  });

  test("of private addresses, models reach those that the operator's own settings name", () => {
    const SIGNALBOX_OPENAI_BASE_URL = `${origin}/v1`;
    const SIGNALBOX_PRIVATE_HOSTS_MODELS = `${origin},http://10.0.0.6`;
    const opened = hosts({ SIGNALBOX_OPENAI_BASE_URL, SIGNALBOX_PRIVATE_HOSTS_MODELS });
    expect(opened).toEqual({ steps: [], webhooks: [], models: [origin], identity: [] });
  });

  test("a model in the general list still works, and a hint says that the list is wider than needed", () => {
    const environment = {
      SIGNALBOX_OPENAI_BASE_URL: `${origin}/v1`,
      SIGNALBOX_PRIVATE_HOSTS: origin,
      SIGNALBOX_PRIVATE_HOSTS_IDENTITY: "none",
    };
    expect(hosts(environment).models).toEqual([origin]);
    expect(read(environment).hints).toEqual([expect.stringContaining("move it to SIGNALBOX_PRIVATE_HOSTS_MODELS")]);
  });

  test("an entry can be limited to organizations", () => {
    const limited = `${origin}=org_us_01jd3t + org_eu_2,http://10.0.0.6`;
    expect(hosts({ SIGNALBOX_PRIVATE_HOSTS_STEPS: limited }).steps).toEqual([
      { origin, organizations: ["org_us_01jd3t", "org_eu_2"] },
      "http://10.0.0.6",
    ]);
  });

  test.each([
    ["SIGNALBOX_PRIVATE_HOSTS", "10.0.0.5:9000", "not an origin"],
    ["SIGNALBOX_PRIVATE_HOSTS_STEPS", `${origin}/path`, "not an origin"],
    ["SIGNALBOX_PRIVATE_HOSTS_STEPS", "http://user@10.0.0.5", "not an origin"],
    ["SIGNALBOX_PRIVATE_HOSTS_STEPS", "http://10.0.0.5@org_us_1", "not an origin"],
    ["SIGNALBOX_PRIVATE_HOSTS_STEPS", "http://10\uff0e0.0.5", "not an origin"],
    ["SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS", `${origin}=`, "not the id of an organization"],
    ["SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS", `${origin}=org_us_1+`, "not the id of an organization"],
    ["SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS", `${origin}=prj_us_1`, "not the id of an organization"],
    ["SIGNALBOX_PRIVATE_HOSTS_IDENTITY", `${origin}=org_xx_1`, "not the id of an organization"],
    ["SIGNALBOX_PRIVATE_HOSTS_MODELS", `${origin}=org_us_1`, "not an origin"],
  ])("%s=%s stops the start with a sentence that says which and why", (name, value, why) => {
    expect(() => read({ [name]: value })).toThrow(SettingRefused);
    expect(() => read({ [name]: value })).toThrow(new RegExp(`${name} cannot be used: .*${why}`));
  });
});
