import type { Platform } from "../platform.ts";
import { aTool } from "../runs/runs.ts";

/** A write that tests let go wrong: a property of web analytics, created by a tool of one step. */
export const propertiesPath = "/v1beta/properties";
export const creating = { method: "POST", path: propertiesPath };
export const propertyInput = {
  account_id: "100",
  display_name: "Winter sale",
  time_zone: "Asia/Tokyo",
  currency_code: "JPY",
};

export const makesProperty = (platform: Platform, more: object = {}) =>
  aTool([
    {
      name: "make",
      step: "create_properties",
      connection_id: platform.connections.analytics,
      input: propertyInput,
      ...more,
    },
  ]);

/** How often it was requested, and how many records there are. */
export async function propertiesMade(platform: Platform) {
  const { analytics } = platform.sandboxes;
  const asked = await analytics.requests(propertiesPath);
  const { body } = await platform.run("analytics_api_call", {
    method: "GET",
    endpoint: propertiesPath.slice(1),
    query: { filter: "parent:accounts/100" },
  });
  const there = body.output.body.properties.filter(
    (each: { displayName: string }) => each.displayName === "Winter sale",
  );
  return { asked: asked.filter((each) => each.method === "POST").length, there: there.length };
}
