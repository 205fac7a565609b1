import { describe, expect, test } from "vitest";
import * as z from "zod";
import { operations } from "../../src/api/index.ts";
import { bodySchemaOf } from "../../src/api/reference/operation-schemas.ts";
import type { Operation } from "../../src/calls/define-operation.ts";
import { kindOfId } from "../../src/kernel/ids.ts";
import type { TestAnswer } from "../support/app.ts";
import { type Values, validCall } from "../support/calls/valid-calls.ts";
import { callWith, type IdField, idFieldsOf } from "./support/id-fields.ts";
import { type Caller, recordsOf, startTenants, type Tenants } from "./support/tenants.ts";

/**
 * What the matrix of single ids (tenant-matrix.test.ts) leaves out, by the same rule (OWASP API1): "responses byte-equal for
 * absent and foreign". Ids that belong together, records of another person, places in lists.
 * And the other side of it: the same calls work with ids of one's own. What a caller may not see does not exist.
 */

const filter = "a filter: nothing of the project's own fits it";
const onlyLess = "what a key is narrowed to only takes away";

/** Where an id is not looked up, so that nobody's is taken as well; the answer must be the same all the same. */
const takesAnyId: Record<string, string> = {
  "/latest/runs/list tool_id": filter,
  "/latest/runs/list connection_id": filter,
  "/latest/runs/list agent_id": filter,
  "/latest/runs/list conversation_id": filter,
  "/latest/schedules/list tool_id": filter,
  "/latest/events/list agent_id": filter,
  "/latest/auth/keys/create project_ids": onlyLess,
  "/latest/auth/service_users/create_key project_ids": onlyLess,
  "/latest/tools/validate steps[].connection_id": "the answer is the list of mistakes, and this is one",
};

const mayTake = ({ path }: Operation, { place }: IdField): boolean => `${path} ${place}` in takesAnyId;

/** "Who holds an invite code may claim the invite": before sign-up there is no tenant that could be the wrong one. */
const isBearer = ({ needs }: Operation, { record }: IdField): boolean => needs === "nobody" && record === "invite_code";

const fieldsOf = (of: Operation): IdField[] => idFieldsOf(of).filter((field) => !isBearer(of, field));

/** Lists of records that the records of other operations do not fill. */
const filledBy: Record<string, string> = {
  "/latest/agents/{agent_id}/conversations/list": "conversation_id",
  "/latest/webhooks/{webhook_id}/deliveries": "delivery_id",
};

/**
 * Lists that do not go on behind an id of a record: those of everybody, and the audit log, which counts its rows. Archives are
 * made by the pruner alone, so here are none.
 */
const withoutIds = [
  "/latest/organizations/archives/list",
  "/latest/systems/list",
  "/latest/steps/list",
  "/latest/steps/search",
  "/latest/steps/{step_id}/options",
  "/latest/limits/list",
  "/latest/limits/history",
  "/latest/audit/list",
  "/latest/audit/export",
  "/latest/sandboxes/list",
];

/** The matrix asks about every single id, but not without an account, and not about another person's in the same organization. */
const isEdge = (of: Operation, { whose }: IdField): boolean =>
  of.needs === "nobody" || whose === "person's" || whose === "its members' and the owners'";

const callersOf = ({ callers, nobody }: Tenants, { needs }: Operation): Caller[] =>
  needs === "nobody" ? [nobody] : callers;

const namesOf = (fields: IdField[]): string[] => fields.map(({ record }) => record);

/** One question of one caller about the records that these ids name. */
interface Cell {
  operation: Operation;
  caller: Caller;
  project: string;
  /** A call that works, but for the ids. */
  values: Values;
  fields: IdField[];
  ids: string[];
  whose: string;
}

describe("what a caller may not see does not exist", () => {
  test("ids of others get the same response as unknown ids, also in one call", async () => {
    const tenants = await startTenants();
    const found: string[] = [];
    for (const each of operations) {
      const fields = fieldsOf(each);
      const edges = fields.filter((field) => isEdge(each, field)).map((field) => [field]);
      if (fields.length > 1) edges.push(fields);
      if (edges.length === 0) continue;
      const [own, other, foreign] = await recordsOfAll(tenants, each, fields);
      const before = await changesIn(tenants);
      for (const caller of callersOf(tenants, each)) {
        for (const asked of edges) {
          const idsIn = (values: Values) => namesOf(asked).map((name) => String(values[name]));
          const cell = { operation: each, caller, project: tenants.own.projectId, values: own, fields: asked };
          found.push(...(await wrongIn(tenants, { ...cell, ids: idsIn(foreign), whose: "another organization's" })));
          if (asked.every((field) => isHidden(field, caller)))
            found.push(
              ...(await wrongIn(tenants, { ...cell, ids: idsIn(other), whose: "another project's or person's" })),
            );
          const elsewhere = { ...cell, ids: idsIn(own).map(inOtherRegion), whose: "another region's" };
          if (elsewhere.ids.every(namesRegion)) found.push(...notRefused(elsewhere, await ask(tenants, elsewhere)));
        }
      }
      const mayChange = each.audit !== null && fields.some((field) => mayTake(each, field));
      if (!mayChange && (await changesIn(tenants)) !== before) found.push(`${each.path} has changed something.`);
    }
    expect(found).toEqual([]);
  });

  test("a list continues after another tenant's record as it does after an unknown one", async () => {
    const tenants = await startTenants();
    const { own, foreign } = tenants;
    for (const each of operations) await recordsOf(foreign, each, namesOf(fieldsOf(each)));
    const notAsked: string[] = [];
    const found: string[] = [];
    for (const each of operations.filter((any) => "after" in (bodySchemaOf(any).properties ?? {}))) {
      const names = namesOf(fieldsOf(each));
      const { path, body } = validCall(
        each,
        await recordsOf(foreign, each, [...names, ...[filledBy[each.path] ?? []].flat()]),
      );
      const theirs = (await foreign.call(path, { ...body, limit: 1 }, foreign.inProject(foreign.owner))).body;
      const id = theirs.next ?? Object.values(theirs.results?.[0] ?? {})[0];
      if (typeof id !== "string" || kindOfId(id) === null) {
        notAsked.push(each.path);
        continue;
      }
      const field: IdField = { place: "after", record: "after", whose: "project's", put: (after) => ({ after }) };
      const values = await recordsOf(own, each, names);
      for (const caller of callersOf(tenants, each)) {
        const cell = { operation: each, caller, project: own.projectId, values, fields: [field], ids: [id] };
        found.push(...(await wrongIn(tenants, { ...cell, whose: "another organization's" }, [200])));
      }
    }
    expect(found).toEqual([]);
    expect(notAsked).toEqual(withoutIds);
  });

  test("the same calls work with the caller's own ids, so it is the ids that are refused", async () => {
    const tenants = await startTenants();
    const found: string[] = [];
    for (const each of operations) {
      for (const field of fieldsOf(each)) {
        const values = await recordsOf(tenants.own, each, namesOf(fieldsOf(each)));
        const caller = callersOf(tenants, each)[0] as Caller;
        const cell = { operation: each, caller, project: tenants.own.projectId, values, whose: "their own" };
        const { status, text } = await ask(tenants, { ...cell, fields: [field], ids: [String(values[field.record])] });
        if (status !== (each.reserved ? 501 : 200)) found.push(`${each.path} ${field.place}: ${text}`);
      }
    }
    expect(found).toEqual([]);
  });

  test("an operation with an id that the matrix does not know fails it, with a sentence", () => {
    const input = z.object({ contents: z.array(z.object({ parcel_id: z.string() })) });
    const unknown: Operation = { ...(operations[0] as Operation), path: "/latest/parcels/get", input };
    expect(() => idFieldsOf(unknown)).toThrow("/latest/parcels/get takes contents[].parcel_id, and the tenant matrix");
  });
});

async function recordsOfAll(tenants: Tenants, of: Operation, fields: IdField[]): Promise<[Values, Values, Values]> {
  const names = namesOf(fields);
  return [
    await recordsOf(tenants.own, of, names),
    await recordsOf(tenants.other, of, names),
    await recordsOf(tenants.foreign, of, names),
  ];
}

/** Records of the caller's own organization that the caller may not see all the same. */
const isHidden = ({ whose }: IdField, { asOwner }: Caller): boolean =>
  whose === "its members' and the owners'" ? !asOwner : whose !== "organization's";

/** The same id but for its end: it has the same shape, the same length, and the same place in every order. */
const nobodys = (id: string): string =>
  id.slice(0, -4) + id.slice(-4).replace(/./g, (letter) => (letter === "0" ? "1" : "0"));

const inOtherRegion = (id: string): string => id.replace(/^([a-z]+)_us_/, "$1_eu_");
/** The id of a consent under way names none. */
const namesRegion = (id: string): boolean => /^[a-z]+_eu_/.test(id);

function ask({ own }: Tenants, cell: Cell, ids = cell.ids): Promise<TestAnswer> {
  const { path, body } = callWith(cell.operation, cell.values, cell.fields, ids);
  return own.call(path, body, cell.caller.in(cell.project));
}

const titleOf = ({ caller, operation: of, fields, whose }: Cell): string =>
  `${caller.name}, ${of.path}, ${whose} ${fields.map(({ place }) => place).join(" and ")}`;

/** What is wrong with the answer: it says another thing of these ids than of nobody's, or it is no refusal. */
async function wrongIn(tenants: Tenants, cell: Cell, alsoAllowed: number[] = []): Promise<string[]> {
  const absent = cell.ids.map(nobodys);
  const answer = await ask(tenants, cell);
  const said = bytesOf(answer, cell.ids);
  const saidOfAbsent = bytesOf(await ask(tenants, cell, absent), absent);
  const apart = said === saidOfAbsent ? [] : [`${titleOf(cell)} differs from nobody's: ${said} and ${saidOfAbsent}`];
  return [...apart, ...notRefused(cell, answer, alsoAllowed)];
}

function notRefused(cell: Cell, { status, text }: TestAnswer, alsoAllowed: number[] = []): string[] {
  const { operation: of, fields } = cell;
  const allowed = [401, 403, 404, 421, 422, ...alsoAllowed];
  if (of.reserved) allowed.push(501);
  if (fields.every((field) => mayTake(of, field))) allowed.push(200);
  return allowed.includes(status) ? [] : [`${titleOf(cell)} is not refused: ${status} ${text}`];
}

/** The whole response, but for what names the call itself, the ids that it asked for, and what was made only now. */
function bytesOf({ status, headers, text }: TestAnswer, ids: string[]): string {
  const { "x-request-id": requestId, date: _, ...rest } = headers;
  let said = JSON.stringify([status, rest, text]).replaceAll(String(requestId), "‹request›");
  for (const id of ids) said = said.replaceAll(id, "‹id›");
  if (status !== 200) return said;
  return said
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "‹time›")
    .replace(/(\\"key_id\\":\\"key_us_)\w+(\\",\\"api_key\\":\\")\w+/, "$1‹new›$2‹new›");
}

/** Every change leaves a row in the audit log, no matter who made it. */
async function changesIn({ own }: Tenants): Promise<string> {
  return JSON.stringify(await own.store.query("select organization_id, seq from audit_log order by 1, 2"));
}
