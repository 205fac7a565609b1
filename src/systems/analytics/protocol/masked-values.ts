import { canonicalJson } from "../../../kernel/strict-json.ts";
import type { StepRequest } from "../../work.ts";
import { listOf, type Members, membersOf, textOf } from "./vendor-json.ts";

/** Members that no update changes: the vendor sets them, or they are fixed when the record is created. */
const fixed = new Set([
  ...["name", "parent", "account", "type", "propertyType", "serviceLevel", "gmpOrganization"],
  ...["createTime", "updateTime", "deleteTime", "expireTime", "deleted"],
  ...["eventName", "deletable", "custom", "parameterName", "scope", "secretValue"],
  ...["measurementId", "firebaseAppId", "packageName", "bundleId"],
  ...["customerId", "canManageClients", "creatorEmailAddress"],
]);

/** Deeper than any record of the vendor. */
const depthMax = 8;

/**
 * Whether a record has every value that an update with `updateMask` sets. A member that the mask names and the body
 * does not have is cleared. `*` "replaces the entire entity": every member that can be changed. Null without a mask.
 */
export function hasMaskedValues(record: unknown, { query = {}, body }: StepRequest): boolean | null {
  const mask = String(query.updateMask ?? query.update_mask ?? "").split(",");
  const paths = mask.map((path) => path.trim().split(".").map(inCamelCase));
  const sent = inVendorSpelling(body);
  if (paths.length === 1 && paths[0]?.join() === "*") return isSame(membersOf(record), sent);
  if (!paths.flat().every((name) => /^[a-z]\w*$/i.test(name))) return null;
  return paths.every((path) => isSame(valueAt(record, path), valueAt(sent, path)));
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, name) => membersOf(inside)[name], value);

/** Fixed members do not count, and one that is not there has the default. */
function isSame(has: unknown, wanted: unknown, depth = 0): boolean {
  if (depth > depthMax || !(isObject(has) || isObject(wanted))) return plain(has) === plain(wanted);
  const [one, other] = [membersOf(has), membersOf(wanted)];
  const names = Object.keys({ ...one, ...other }).filter((name) => !fixed.has(name));
  return names.every((name) => isSame(one[name], other[name], depth + 1));
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** "Fields at their default are left out of an answer." */
function plain(value: unknown): string {
  const isDefault =
    (value ?? "") === "" ||
    value === 0 ||
    value === false ||
    textOf(value).endsWith("_UNSPECIFIED") ||
    (Array.isArray(value) && value.length === 0);
  return isDefault ? "" : canonicalJson(value);
}

/** The system reads `display_name` as well, and writes `displayName`. */
const inCamelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function inVendorSpelling(value: unknown, depth = 0): unknown {
  if (depth > depthMax) return value;
  if (Array.isArray(value)) return listOf(value).map((each) => inVendorSpelling(each, depth + 1));
  if (!isObject(value)) return value;
  const members: Members = membersOf(value);
  return Object.fromEntries(
    Object.entries(members).map(([name, each]) => [inCamelCase(name), inVendorSpelling(each, depth + 1)]),
  );
}
