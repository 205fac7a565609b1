import type { Operation } from "../../calls/define-operation.ts";
import type { Region } from "../../kernel/regions.ts";
import { exactInArea, exactInOperation } from "./answer-samples.ts";
import { nullInArea, samples, samplesInArea, sampleTime, sampleTimes, usuallyNull } from "./field-samples.ts";
import { answerSchemaOf, type JsonSchema } from "./operation-schemas.ts";

/** An example response that fits the output schema. Repeats values of the operation's example request. */
export function exampleAnswerOf(operation: Operation, region: Region): unknown {
  const sent = operation.audit === null ? {} : (operation.example as Record<string, unknown>);
  const nulls = [...usuallyNull, ...(nullInArea[operation.area] ?? [])];
  return inRegion(
    sampleOf(answerSchemaOf(operation), "", {
      values: { ...samples, ...samplesInArea[operation.area], ...sent },
      nulls,
      exact: { ...exactInArea[operation.area], ...exactInOperation[operation.path.slice("/latest/".length)] },
    }),
    region,
  );
}

/** Samples hold ids of the region `us`; the page of another region shows its own. */
export const inRegion = <T>(value: T, region: Region): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll("_us_", `_${region}_`).replaceAll('"region":"us"', `"region":"${region}"`),
  ) as T;

interface Samples {
  values: Readonly<Record<string, unknown>>;
  nulls: string[];
  /** Taken as they are; `undefined` leaves a member out. */
  exact: Readonly<Record<string, unknown>>;
}

const isNullable = (schema: JsonSchema = {}): boolean =>
  schema.anyOf?.some((each) => each.type === "null") || schema.type?.includes("null") || false;

function sampleOf(schema: JsonSchema, name: string, known: Samples): unknown {
  if (Object.hasOwn(known.exact, name)) return known.exact[name];
  if (isNullable(schema) && known.nulls.includes(name)) return null;
  const value = known.values[name];
  if (schema.enum) return schema.enum.find((word) => word === value) ?? schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {}, name, known);
  if (schema.format === "date-time") return sampleTimes[name] ?? sampleTime;
  if (schema.items && Array.isArray(value) && value.every((item) => hasAll(schema.items?.required, item))) return value;
  if (schema.items) return [sampleOf(schema.items, name, known)];
  if (schema.properties && (typeof value !== "object" || Array.isArray(value))) {
    // An optional member without a sample is left out.
    const isShown = (member: string) => schema.required?.includes(member) || known.values[member] !== undefined;
    return Object.fromEntries(
      Object.entries(schema.properties)
        .map(([member, inner]) => [member, sampleOf(inner, member, known)] as const)
        .filter(([member, sample]) => sample !== undefined || !Object.hasOwn(known.exact, member))
        .filter(([member, sample]) => sample !== null || isShown(member) || isNullable(schema.properties?.[member])),
    );
  }
  if (schema.type === "string" && typeof value !== "string") return "…";
  return value ?? null;
}

const hasAll = (names: string[] = [], item: unknown): boolean =>
  names.every((name) => typeof item === "object" && item !== null && Object.hasOwn(item, name));
