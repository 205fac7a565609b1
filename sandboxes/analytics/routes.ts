import { type AdminMethod, adminMethods, alphaMethods } from "./admin-api.ts";
import type { DataMethod } from "./data-api.ts";
import { badRequest } from "./wire/api-error.ts";
import { toCamel } from "./wire/proto-json.ts";

export type Route =
  | { api: "data"; method: DataMethod; methodName: string; propertyId: string }
  | { api: "admin"; method: AdminMethod; methodName: string; resource: string };

const dataMethods: Record<string, DataMethod> = {
  "POST properties/*:runReport": "runReport",
  "POST properties/*:batchRunReports": "batchRunReports",
  "POST properties/*:runPivotReport": "runPivotReport",
  "POST properties/*:batchRunPivotReports": "batchRunPivotReports",
  "POST properties/*:runRealtimeReport": "runRealtimeReport",
  "POST properties/*:checkCompatibility": "checkCompatibility",
  "GET properties/*/metadata": "metadata",
};

const prefix = /^\/(v1beta|v1alpha)\//;
const allAlphaMethods = { ...adminMethods, ...alphaMethods };

/** Finds the method of a call, or null, which becomes a page. Both APIs live under the same prefix; their paths do not collide. */
export function findRoute(httpMethod: string, path: string): Route | null {
  const version = prefix.exec(path)?.[1];
  if (version === undefined) return null;
  const rest = path.slice(version.length + 2);
  // Some clients write the slash of a resource name as %2F.
  const segments = (rest.includes("%") ? safeDecode(rest) : rest).split("/");
  const shape = segments.map((segment, at) => (at % 2 === 1 ? idShape(segment) : segment)).join("/");
  const key = `${httpMethod} ${shape}`;
  const data = version === "v1beta" && Object.hasOwn(dataMethods, key) ? dataMethods[key] : undefined;
  if (data) {
    const methodName = data === "metadata" ? "GetMetadata" : data[0]?.toUpperCase() + data.slice(1);
    const propertyId = (segments[1] ?? "").split(":")[0] ?? "";
    return {
      api: "data",
      method: data,
      methodName: `google.analytics.data.v1beta.BetaAnalyticsData.${methodName}`,
      propertyId,
    };
  }
  const methods = version === "v1beta" ? adminMethods : allAlphaMethods;
  const admin = Object.hasOwn(methods, key) ? methods[key] : undefined;
  if (!admin) return null;
  // A collection's resource is its parent; a verb belongs to the method.
  const resource = (segments.length % 2 === 1 ? segments.slice(0, -1) : segments).join("/").replace(/:\w+$/, "");
  return {
    api: "admin",
    method: admin,
    methodName: `google.analytics.admin.${version}.AnalyticsAdminService.${admin.name}`,
    resource,
  };
}

/** `metadata` is a name, not an id; a verb after a colon stays. */
function idShape(segment: string): string {
  const colon = segment.indexOf(":");
  if (segment === "" || colon === 0) return segment;
  return colon < 0 ? "*" : `*${segment.slice(colon)}`;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const systemParameters = new Set(
  "alt fields key prettyPrint quotaUser access_token oauth_token callback uploadType upload_protocol xgafv .xgafv userProject".split(
    " ",
  ),
);

/** Parameters that the method does not know are refused, as unknown keys of a body are. */
export function refuseUnknownParameters(query: URLSearchParams, known: readonly string[]): void {
  if (query.size === 0) return;
  const unknown = [...query.keys()].filter(
    (name) => !systemParameters.has(name.replace(/^\$/, "")) && !known.includes(toCamel(name)),
  );
  if (unknown.length === 0) return;
  throw badRequest(
    unknown.map((name) => ({
      description: `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
    })),
  );
}
