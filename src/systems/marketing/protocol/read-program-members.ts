import { goneWarnings } from "../../lost-write-warnings.ts";
import { send, type Work } from "../../work.ts";
import { buildRequest, type MarketingCall } from "./build-request.ts";
import { isRecord } from "./endpoints.ts";
import type { Found } from "./found.ts";
import { rowsOf } from "./rows.ts";

/** What the members of a program show of a write whose answer was lost. */

/** The system takes no more rows at once. */
const rowsMax = 300;

const synced = /^\/rest\/v1\/programs\/(\d+)\/members\/status\.json$/;
/** Superseded by the former: it names the members and the status differently. */
const changed = /^\/rest\/v1\/leads\/programs\/(\d+)\/status\.json$/;
const deleted = /^\/rest\/v1\/programs\/(\d+)\/members\/delete\.json$/;

/** Null if the call is about something else. */
export function readProgramMembers(call: MarketingCall): Work<Found> | null {
  const { body = {}, target } = call;
  const program = (shape: RegExp) => shape.exec(target.path)?.[1];
  const [inSync, inChange, inDelete] = [program(synced), program(changed), program(deleted)];
  if (inSync !== undefined) return readStatus(inSync, body, "leadId", body.statusName, "updated");
  if (inChange !== undefined) return readStatus(inChange, body, "id", body.status, String(body.status));
  return inDelete === undefined ? null : readDeleted(inDelete, body);
}

type Body = NonNullable<MarketingCall["body"]>;

/** Others may have changed a status since, so only the same one tells. */
function* readStatus(program: string, body: Body, name: string, wanted: unknown, word: string): Work<Found> {
  const ids = idsIn(body, name);
  if (ids.length === 0 || typeof wanted !== "string") return "cannot tell";
  const statusOf = new Map((yield* find(program, ids)).map(({ leadId, statusName }) => [String(leadId), statusName]));
  if (!ids.every((id) => statusOf.get(id) === wanted)) return "cannot tell";
  return { output: { status: 200, body: { success: true, result: rowsFor(ids, name, word) } } };
}

/** A lead may have become a member again since. */
function* readDeleted(program: string, body: Body): Work<Found> {
  const ids = idsIn(body, "leadId");
  if (ids.length === 0 || (yield* find(program, ids)).length > 0) return "cannot tell";
  const result = rowsFor(ids, "leadId", "deleted");
  return { output: { status: 200, body: { success: true, result } }, warnings: goneWarnings };
}

function* find(program: string, ids: readonly string[]): Work<Record<string, unknown>[]> {
  const query = { filterType: "leadId", filterValues: ids.join(","), fields: "leadId,statusName" };
  const target = { path: `/rest/v1/programs/${program}/members.json`, query };
  const { body } = yield* send(buildRequest({ method: "GET", target }));
  return rowsOf(body).filter(isRecord);
}

/** None if the call does not name every lead by its id. */
function idsIn({ input }: Body, name: string): string[] {
  const rows = Array.isArray(input) ? input : [];
  const ids = rows.map((row) => String(isRecord(row) ? row[name] : row));
  return ids.length <= rowsMax && ids.every((id) => /^\d+$/.test(id)) ? ids : [];
}

const rowsFor = (ids: readonly string[], name: string, status: string) =>
  ids.map((id, seq) => ({ ...(name === "leadId" && { seq }), [name]: Number(id), status }));
