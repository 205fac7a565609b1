import { type Named, nearest } from "../../../kernel/nearest-names.ts";
import { type Answer, StepFailed, type StepRequest, send, type Work } from "../../work.ts";
import { listOf, membersOf, shortOf } from "../protocol/vendor-json.ts";
import { realtimeDimensions, realtimeMetrics } from "./known-fields.ts";

export interface Field {
  name: string;
  title: string;
  description: string;
  category: string;
  olderNames: string[];
  isBlocked: boolean;
}

export const metadataRequest = (propertyId: string): StepRequest => ({
  method: "GET",
  api: "data",
  path: `/v1beta/properties/${propertyId}/metadata`,
  effect: "read",
  idempotent: true,
});

/** A property has some hundred. */
const fieldsMax = 5_000;
const olderNamesMax = 10;

/** The fields of a property's reports; hundreds, so they are searched and never shown in full. */
export function readFields(answer: Answer, kind: "metric" | "dimension"): Field[] {
  const body = membersOf(answer.body);
  return listOf(kind === "metric" ? body.metrics : body.dimensions)
    .slice(0, fieldsMax)
    .map(membersOf)
    .map((field) => ({
      name: shortOf(field.apiName),
      title: shortOf(field.uiName),
      description: shortOf(field.description),
      category: shortOf(field.category),
      olderNames: listOf(field.deprecatedApiNames).slice(0, olderNamesMax).map(shortOf),
      isBlocked: listOf(field.blockedReasons).length > 0,
    }));
}

const unknownShape = /Field (\S+) is not a valid (metric|dimension)/;

/** "Unknown metric (with the nearest real name)": the system suggests one at best, its list of fields has more. */
export function* withNearestNames(error: unknown, propertyId: string, isRealtime: boolean): Work<unknown> {
  if (!(error instanceof StepFailed) || error.failure.code !== "invalid_there") return error;
  const [, written, kind] = unknownShape.exec(error.failure.detail) ?? [];
  if (written === undefined || (kind !== "metric" && kind !== "dimension")) return error;
  const known = isRealtime ? realtimeNames(kind) : yield* namesOf(propertyId, kind);
  if (known.length === 0) return error;
  const names = nearest(written, known);
  const hint = names.length > 0 ? `The nearest are: ${names.join(", ")}.` : `No ${kind} has a name like it.`;
  const { failure } = error;
  return new StepFailed({ ...failure, detail: `${failure.detail} ${hint}`, remedy: remedyFor(kind) }, error.answer);
}

const remedyFor = (kind: string): string =>
  `Use one of the names above, or look for another among the options of \`${kind}s\`.`;

const realtimeNames = (kind: "metric" | "dimension"): Named[] =>
  (kind === "metric" ? realtimeMetrics : realtimeDimensions).map((name) => ({ name }));

function* namesOf(propertyId: string, kind: "metric" | "dimension"): Work<Named[]> {
  try {
    const fields = readFields(yield* send(metadataRequest(propertyId)), kind);
    return fields.map(({ name, title, olderNames }) => ({ name, also: [title, ...olderNames] }));
  } catch (error) {
    // The system's own message suffices if its list cannot be read.
    if (error instanceof StepFailed) return [];
    throw error;
  }
}
