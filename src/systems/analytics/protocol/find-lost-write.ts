import { goneWarnings } from "../../lost-write-warnings.ts";
import { type Answer, type Done, type StepRequest, send, type Work } from "../../work.ts";
import { decoded, isNumberedRecord, isProperty } from "./endpoints.ts";
import { hasMaskedValues } from "./masked-values.ts";
import { listOf, membersOf, textOf } from "./vendor-json.ts";

type Found = Pick<Answer, "status" | "body">;
type ReadBack = Done<Found> | "did not" | "cannot tell";

/** Its id is chosen by who creates it, and may be used again. */
const namedRecord = /^\/\w+\/properties\/\d+\/calculatedMetrics\/\w+$/;
/** The vendor lists them, and has no method to read one. */
const listedOnly = /^(.*\/(googleAdsLinks|firebaseLinks))\/\d+$/;

/** Whether a call whose answer was lost has happened, as far as the records show it, with the answer that it must have had. */
export function* readBack(request: StepRequest): Work<ReadBack> {
  const { method, path } = request;
  if (method === "PATCH") return yield* changed(request);
  if (method !== "DELETE") return "cannot tell";
  if (isProperty(path)) return yield* inTrash(request);
  if (isNumberedRecord(path)) return yield* deleted(request, "did not");
  return namedRecord.test(decoded(path)) ? yield* deleted(request, "cannot tell") : "cannot tell";
}

/** A second delete of a property in the trash is "not found", but reading it still works. */
function* inTrash(request: StepRequest): Work<ReadBack> {
  const { status, body } = yield* send(reading(request));
  return textOf(membersOf(body).deleteTime) === "" ? "did not" : { output: { status, body } };
}

function* deleted(request: StepRequest, ifThere: "did not" | "cannot tell"): Work<ReadBack> {
  const record = yield* find(request);
  if (record === "cannot tell") return record;
  return record === null ? { output: { status: 200, body: {} }, warnings: goneWarnings } : ifThere;
}

/** Other values may have been set since, so only equal ones tell. */
function* changed(request: StepRequest): Work<ReadBack> {
  if (hasMaskedValues({}, request) === null) return "cannot tell";
  const record = yield* find(request);
  if (record === null || record === "cannot tell") return "cannot tell";
  return hasMaskedValues(record.body, request) ? { output: record } : "cannot tell";
}

/** Null if it is not there; it cannot be told from one of several pages of a list. */
function* find(request: StepRequest): Work<Found | null | "cannot tell"> {
  const [, list = "", collection = ""] = listedOnly.exec(decoded(request.path)) ?? [];
  if (list === "") {
    const { status, body } = yield* send({ ...reading(request), mayBeAbsent: true });
    return status === 404 ? null : { status, body };
  }
  const { status, body } = yield* send({ ...reading(request), path: list, query: { pageSize: 200 } });
  const name = decoded(request.path).replace(/^\/\w+\//, "");
  const record = listOf(membersOf(body)[collection]).find((each) => membersOf(each).name === name);
  if (record !== undefined) return { status, body: record };
  return textOf(membersOf(body).nextPageToken) === "" ? null : "cannot tell";
}

const reading = ({ api, path }: StepRequest): StepRequest => ({
  method: "GET",
  api,
  path,
  effect: "read",
  idempotent: true,
});
