import { describe, expect, test } from "vitest";
import { needsProject } from "../../src/access/callers/authorize.ts";
import { operations } from "../../src/api/index.ts";
import { isReserved } from "../../src/api/reference/operation-schemas.ts";
import type { TestAnswer } from "../support/app.ts";
import { freshValues, validCall } from "../support/calls/valid-calls.ts";
import { everythingIn } from "../support/team.ts";
import { callWith, type IdField, idFieldsOf, whoseRecords } from "./support/id-fields.ts";
import { oneOfEach, startTenants, type Tenants } from "./support/tenants.ts";

/**
 * "Matrix: every endpoint x {own, other project, other organization, other region, deleted} ids from two tenants; only 404/421
 * allowed; responses byte-equal for 'absent' and 'foreign'" (OWASP API1). Generated from the contract: every field that names
 * something, wherever it stands, is given what is others', as every role and with every kind of credential.
 */

/** Where an id is the credential: its holder may use it, no matter where it was made. */
const credentials: Record<string, string> = {
  "/latest/auth/invite/accept": "invite_code",
  "/latest/auth/sign_up/look": "invite_code",
  "/latest/auth/sign_up/begin": "invite_code",
  "/latest/auth/sign_in/password": "organization_id",
};

const cells = operations.flatMap((operation) =>
  idFieldsOf(operation)
    .filter(({ place }) => credentials[operation.path] !== place)
    .map((field) => ({ operation, field })),
);

/** What an answer says once the ids of the request, of what it named and of what it made are taken out. */
const told = ({ status, text, body }: TestAnswer, id: string): string => {
  const said = text.replaceAll(body.request_id ?? "no id", "").replaceAll(id, "…");
  return `${status} ${said.replace(/\b([a-z]{3}_us_)[0-9a-z]{26}\b|\b(sbk_us_)\w+/g, "$1$2…")}`;
};

/** An id of the same form that names nothing. */
const madeUp = (id: string): string => `${id.slice(0, -8)}${[..."mq3x7v0z"].reverse().join("")}`;
const inAnotherRegion = (id: string): string => id.replace("_us_", "_eu_");

interface World extends Omit<Tenants, "other" | "foreign"> {
  /** Ids of another project of the same organization, and of another organization. */
  besides: Record<string, string>;
  foreign: Record<string, string>;
}

async function startWorld(): Promise<World> {
  const { other, foreign, ...tenants } = await startTenants();
  return { ...tenants, besides: await oneOfEach(other), foreign: await oneOfEach(foreign) };
}

const isOfProject = ({ whose }: Pick<IdField, "whose">): boolean => whose === "project's";

describe("data of other tenants", () => {
  test("every operation that takes ids is in the matrix", () => {
    expect(cells.length).toBeGreaterThan(100);
    expect(Object.keys(credentials).filter((path) => !operations.some((each) => each.path === path))).toEqual([]);
  });

  test("cannot be distinguished from what does not exist, by any caller in any field, and is not changed", async () => {
    const { own, callers, besides, foreign } = await startWorld();
    const others = [
      ...Object.values(foreign),
      ...Object.entries(whoseRecords).flatMap(([name, whose]) =>
        isOfProject({ whose }) ? [String(besides[name])] : [],
      ),
    ];
    const kept = async () =>
      (JSON.parse(await everythingIn(own.store)) as Record<string, unknown>[])
        .filter((row) => others.some((id) => JSON.stringify(row).includes(id)))
        .map(({ last_used_at: _, ...row }) => JSON.stringify(row));
    const before = await kept();
    const wrong: string[] = [];
    for (const { operation, field } of cells) {
      const values = await freshValues(own, operation);
      const [theirs, besideId] = [String(foreign[field.record]), String(besides[field.record])];
      for (const caller of callers) {
        const ask = async (id: string) => {
          const { path, body } = callWith(operation, values, [field], [id]);
          return own.call(path, body, caller.in(own.projectId));
        };
        const absent = await ask(madeUp(theirs));
        const expected = told(absent, madeUp(theirs));
        const cell = `${caller.name}: ${operation.path} ${field.place}`;
        if (absent.status >= 500 && absent.status !== 501) wrong.push(`${cell}: ${absent.text}`);
        for (const id of isOfProject(field) ? [besideId, theirs] : [theirs]) {
          const answer = await ask(id);
          if (told(answer, id) !== expected) wrong.push(`${cell}: ${told(answer, id)}, where nothing is ${expected}`);
        }
        const elsewhere = await ask(inAnotherRegion(theirs));
        const isHidden = [absent.status, 404, 421].includes(elsewhere.status);
        if (!isHidden) wrong.push(`${cell}, in another region: ${elsewhere.text}`);
      }
    }
    expect(wrong).toEqual([]);
    // The calls differed from good ones in nothing but that id.
    for (const operation of new Set(cells.map((cell) => cell.operation))) {
      const { path, body } = validCall(operation, await freshValues(own, operation));
      const { status } = await own.call(path, body, own.inProject(own.owner));
      expect([operation.path, status]).toEqual([operation.path, isReserved(operation) ? 501 : 200]);
    }
    const after = new Set(await kept());
    expect(before.length).toBeGreaterThan(50);
    expect(before.filter((row) => !after.has(row))).toEqual([]);
  });

  test("includes projects: a caller learns nothing about a project that they are not in", async () => {
    const { own, callers, besides, foreign } = await startWorld();
    const [beside, theirs] = [String(besides.project_id), String(foreign.project_id)];
    const wrong: string[] = [];
    for (const operation of operations.filter(({ needs }) => needsProject(needs))) {
      const { path, body } = validCall(operation, await freshValues(own, operation));
      delete body.project_id;
      for (const caller of callers) {
        const ask = (id: string) => own.call(path, body, caller.in(id));
        const nowhere = madeUp(theirs);
        const expected = told(await ask(nowhere), nowhere);
        const cell = `${caller.name}: ${operation.path}`;
        if (!expected.startsWith("404 ")) wrong.push(`${cell}: ${expected}`);
        // An owner is an admin in every project of the organization.
        for (const id of caller.asOwner ? [theirs] : [theirs, beside]) {
          const answer = await ask(id);
          if (told(answer, id) !== expected) wrong.push(`${cell}: ${told(answer, id)}, where nothing is ${expected}`);
        }
        const elsewhere = await ask(inAnotherRegion(theirs));
        if (elsewhere.status !== 421) wrong.push(`${cell}, in another region: ${elsewhere.text}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
