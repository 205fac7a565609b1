import { goneWarnings, hasValues } from "../../read-back.ts";
import { type Answer, type Done, type StepRequest, send, type Work } from "../../work.ts";
import { decoded } from "./endpoints.ts";
import { membersOf, textOf } from "./vendor-json.ts";

type ReadBack = Done<Pick<Answer, "status" | "body">> | "did not" | "cannot tell";

const property = /^\/\w+\/properties\/\d+$/;
/** Their ids are the system's own, and it never uses them again. */
const partOfProperty = /^\/\w+\/properties\/\d+\/(?:keyEvents|conversionEvents|dataStreams)\/\d+$/;

/** Whether a call whose answer was lost has happened, as far as the records show it, with the answer that it must have had. */
export function* readBack(request: StepRequest): Work<ReadBack> {
  const path = decoded(request.path);
  if (request.method === "DELETE" && property.test(path)) return yield* inTrash(request);
  if (request.method === "DELETE" && partOfProperty.test(path)) return yield* deleted(request);
  const isChange = request.method === "PATCH" && (property.test(path) || partOfProperty.test(path));
  return isChange ? yield* changed(request) : "cannot tell";
}

/** A second delete of a property in the trash is "not found", but reading it still works. */
function* inTrash(request: StepRequest): Work<ReadBack> {
  const { status, body } = yield* send(reading(request));
  return textOf(membersOf(body).deleteTime) === "" ? "did not" : { output: { status, body } };
}

function* deleted(request: StepRequest): Work<ReadBack> {
  const { status } = yield* send({ ...reading(request), mayBeAbsent: true });
  return status === 404 ? { output: { status: 200, body: {} }, warnings: goneWarnings } : "did not";
}

/** Other values may have been set since, so only equal ones tell. */
function* changed(request: StepRequest): Work<ReadBack> {
  const sent = maskedValues(request);
  if (sent === null) return "cannot tell";
  const { status, body } = yield* send(reading(request));
  return hasValues(membersOf(body), sent) ? { output: { status, body } } : "cannot tell";
}

/** The members that the mask names; null if it does not name them one by one. A member that is not sent is cleared. */
function maskedValues({ query = {}, body }: StepRequest): Record<string, unknown> | null {
  const mask = String(query.updateMask ?? query.update_mask ?? "");
  const names = mask.split(",").map((name) => inCamelCase(name.trim()));
  if (!names.every((name) => /^[a-z]\w*$/i.test(name))) return null;
  const sent = Object.fromEntries(Object.entries(membersOf(body)).map(([name, value]) => [inCamelCase(name), value]));
  return Object.fromEntries(names.map((name) => [name, sent[name] ?? null]));
}

/** The system reads `display_name` as well, and writes `displayName`. */
const inCamelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const reading = ({ api, path }: StepRequest): StepRequest => ({
  method: "GET",
  api,
  path,
  effect: "read",
  idempotent: true,
});
