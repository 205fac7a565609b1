import { goneWarnings } from "../../lost-write-warnings.ts";
import { isMadeThen, type SentThen } from "../../made-then.ts";
import { send, type Work } from "../../work.ts";
import { buildRequest, type MarketingCall } from "./build-request.ts";
import { isRecord } from "./endpoints.ts";
import type { Found, NotFound, ReadBack } from "./found.ts";
import { namesOf } from "./lead-names.ts";
import { isSameValue, keysOf, textOf } from "./lead-values.ts";
import { readAsset } from "./read-assets.ts";
import { readProgramMembers } from "./read-program-members.ts";
import { rowsOf } from "./rows.ts";

type Row = Record<string, unknown>;

/** The system takes no more rows at once. */
const rowsMax = 300;
const leadsMax = 10 * rowsMax;
/** Of more leads with the same key, it is unknown which one was meant. */
const alikeMax = 10;

/** "Leads and lists: read back": whether the records now say what the call requested. */
export function* readBack(call: MarketingCall, sent: SentThen): Work<Found> {
  const { method, target, body } = call;
  const { path } = target;
  if (method === "GET") return "cannot tell";
  if (method === "POST" && path === "/rest/v1/leads.json") return yield* readLeads(body ?? {}, sent);
  if (path === "/rest/v1/leads/delete.json" || path === "/rest/v1/leads.json") return yield* readDeleted(call);
  const list = /^\/rest\/v1\/lists?\/([^/]+)\/leads\.json$/.exec(path)?.[1];
  if (list !== undefined) return shown(yield* readMembers(list, method, call));
  if (method !== "POST") return "cannot tell";
  return yield* readProgramMembers(call) ?? readAsset(call, sent);
}

const shown = (output: ReadBack | NotFound): Found => (typeof output === "string" ? output : { output });

/** The system never uses the id of a deleted lead again. */
function* readDeleted(call: MarketingCall): Work<Found> {
  const ids = idsIn(call);
  if (ids === null) return "cannot tell";
  const query = { filterType: "id", filterValues: ids.join(","), fields: "id" };
  const { body } = yield* send(buildRequest({ method: "GET", target: { path: "/rest/v1/leads.json", query } }));
  const left = rowsOf(body).length;
  if (left === new Set(ids.map(Number)).size) return "did not";
  if (left > 0) return "cannot tell";
  const result = ids.map((id) => ({ id: Number(id), status: "deleted" }));
  return { output: { status: 200, body: { success: true, result } }, warnings: goneWarnings };
}

/** The leads that a call names in its query and its body; null if it names none, or not by their ids. */
function idsIn({ target, body }: MarketingCall): string[] | null {
  const inBody = Array.isArray(body?.input) ? body.input.filter(isRecord).map(({ id }) => textOf(id)) : [];
  const ids = [...[target.query.id ?? []].flat().map(String), ...inBody].flatMap((id) => id.split(","));
  return ids.length > 0 && ids.every((id) => /^\d+$/.test(id)) ? ids : null;
}

/** A row counts as written if it has every value that was sent. Repeating such a call changes nothing more. */
function* readLeads(body: Row, sent: SentThen): Work<Found> {
  const { action = "createOrUpdate", lookupField = "email" } = body;
  const all = Array.isArray(body.input) ? body.input.filter(isRecord) : [];
  const isUpdate = action === "createOrUpdate" || action === "updateOnly";
  if ((!isUpdate && action !== "createOnly") || typeof lookupField !== "string") return "cannot tell";
  const rows = all.filter((row) => isKey(textOf(row[lookupField])));
  if (rows.length === 0 || rows.length > rowsMax || (!isUpdate && rows.length < all.length)) return "cannot tell";
  const keys = rows.map((row) => textOf(row[lookupField]).trim());
  const fields = [...new Set(["id", "createdAt", "updatedAt", "email", lookupField, ...rows.flatMap(Object.keys)])];
  const query = { filterType: lookupField, filterValues: keys.join(","), fields: fields.join(",") };
  const { body: answer } = yield* send(buildRequest({ method: "GET", target: { path: "/rest/v1/leads.json", query } }));
  const leads = rowsOf(answer).filter(isRecord);
  // More are on another page: duplicates, and it is unknown which one was meant.
  if (isRecord(answer) && answer.nextPageToken !== undefined) return "cannot tell";
  const byKey = Map.groupBy(leads.slice(0, leadsMax), (lead) => textOf(lead[lookupField]).trim().toLowerCase());
  const alike = keys.map((key) => keysOf(key).flatMap((form) => byKey.get(form) ?? []));
  if (leads.length > leadsMax || alike.some(({ length }) => length > alikeMax)) return "cannot tell";
  // Where a lead has the key, a repeat would be skipped: nothing of it would say whether the first request made the lead.
  if (!isUpdate && alike.every(({ length }) => length === 0)) return "did not";
  const found = rows.map((row, index) => alike[index]?.find((lead) => holds(lead, row)));
  if (isUpdate && found.every((lead) => lead === undefined)) {
    // One that was changed meanwhile may be another one's change, or what became of ours. One that is not looked for may be there.
    const isChanged = alike.flat().some(({ updatedAt }) => isMadeThen(updatedAt, sent) !== "no");
    const isMissed = all.some((row) => textOf(row[lookupField]).includes(","));
    return isChanged || isMissed ? "in part" : "did not";
  }
  if (rows.length < all.length || found.some((lead) => lead === undefined)) return isUpdate ? "in part" : "cannot tell";
  const result = found.map((lead) => ({ id: lead?.id, status: isNew(lead, sent) ? "created" : "updated" }));
  // An earlier or a later lead is not the one to be created, and one lead is not created twice.
  const isOne = new Set(result.map(({ id }) => id)).size === result.length;
  if (!isUpdate && (!isOne || result.some(({ status }) => status === "updated"))) return "cannot tell";
  const output: ReadBack = { status: 200, body: { success: true, result } };
  // Another call may have made it by another key. For calls that may also update, it does not matter who did it.
  return isUpdate ? { output } : { output, names: namesOf(found.filter(isRecord), "id") };
}

/** A row without a key is skipped there. A comma would separate two values. */
const isKey = (text: string): boolean => text.trim() !== "" && !text.includes(",");

const holds = (lead: Row, row: Row): boolean =>
  Object.entries(row).every(([name, value]) => isSameValue(lead[name], value));

const isNew = (lead: Row | undefined, sent: SentThen): boolean => isMadeThen(lead?.createdAt, sent) === "yes";

function* readMembers(
  list: string,
  method: "POST" | "DELETE",
  call: MarketingCall,
): Work<ReadBack | "did not" | "cannot tell"> {
  const ids = idsIn(call);
  if (ids === null) return "cannot tell";
  const path = `/rest/v1/lists/${list}/leads/ismember.json`;
  const { body: answer } = yield* send(buildRequest({ method: "GET", target: { path, query: { id: ids } } }));
  const rows = rowsOf(answer)
    .slice(0, ids.length + 1)
    .filter(isRecord);
  const [wanted, before, word] =
    method === "POST" ? ["memberof", "notmemberof", "added"] : ["notmemberof", "memberof", "removed"];
  if (rows.length !== ids.length) return "cannot tell";
  if (rows.every(({ status }) => status === before)) return "did not";
  if (!rows.every(({ status }) => status === wanted)) return "cannot tell";
  return { status: 200, body: { success: true, result: rows.map(({ id }) => ({ id, status: word })) } };
}
