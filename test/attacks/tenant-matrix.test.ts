import { describe, expect, test } from "vitest";
import { needsProject } from "../../src/access/callers/authorize.ts";
import { operations } from "../../src/api/index.ts";
import { isReserved } from "../../src/api/reference/schemas.ts";
import type { Operation } from "../../src/calls/define.ts";
import type { CallOptions, TestAnswer } from "../support/app.ts";
import { everythingIn, startTeam, type Team } from "../support/team.ts";
import { freshValues, type Values, validCall } from "../support/valid-calls.ts";
import {
  bodyWithId,
  callersOf,
  isOfProject,
  type Kind,
  type Place,
  placesOf,
  teamOf,
  thingsOf,
} from "./support/tenant-ids.ts";

/**
 * "Matrix: every endpoint x {own, other project, other organization, other region, deleted} ids from two tenants; only 404/421
 * allowed; responses byte-equal for 'absent' and 'foreign'" (OWASP API1). Generated from the contract: every field that names
 * something, wherever it stands, is given what is others', as every role and with every kind of credential.
 */

/** Where an id is the credential: whoever has it may use it, wherever it was made. */
const credentials: Record<string, string> = {
  "/latest/auth/invite/accept": "invite_code",
  "/latest/auth/sign_up/look": "invite_code",
  "/latest/auth/sign_up/begin": "invite_code",
  "/latest/auth/sign_in/password": "organization_id",
};

const cells = operations.flatMap((operation) =>
  placesOf(operation)
    .filter(({ name }) => credentials[operation.path] !== name)
    .map((place) => ({ operation, place })),
);

/** What an answer says once the ids of the request, of what it named and of what it made are taken out. */
const told = ({ status, text, body }: TestAnswer, id: string): string => {
  const said = text.replaceAll(body.request_id ?? "no id", "").replaceAll(id, "…");
  return `${status} ${said.replace(/\b([a-z]{3}_us_)[0-9a-z]{26}\b|\b(sbk_us_)\w+/g, "$1$2…")}`;
};

/** An id of the same form that names nothing. */
const madeUp = (id: string): string => `${id.slice(0, -8)}${[..."mq3x7v0z"].reverse().join("")}`;
const inAnotherRegion = (id: string): string => id.replace("_us_", "_eu_");

interface World {
  team: Team;
  callers: Record<string, CallOptions>;
  /** Of another project of the same organization, and of another organization. */
  besides: Record<Kind, string>;
  foreign: Record<Kind, string>;
}

async function startWorld(): Promise<World> {
  const team = await startTeam("sqlite");
  const besides = teamOf(team, team.owner, await team.project(team.owner, "Another"));
  const stranger = await team.neighbour();
  return {
    team,
    callers: await callersOf(team),
    besides: await thingsOf(besides),
    foreign: await thingsOf(teamOf(team, stranger.owner, stranger.projectId)),
  };
}

/** The call as it would succeed, with another id at one place. */
function callWith(operation: Operation, place: Place, own: Values, id: string): { path: string; body: Values } {
  if (place.inPath) return validCall(operation, { ...own, [place.name]: id });
  const { path, body } = validCall(operation, own);
  return { path, body: bodyWithId(body, place.path, id) };
}

describe("what is others'", () => {
  test("every operation that takes ids is in the matrix", () => {
    expect(cells.length).toBeGreaterThan(100);
    expect(Object.keys(credentials).filter((path) => !operations.some((each) => each.path === path))).toEqual([]);
  });

  test("cannot be told from what is nowhere, by any caller in any field, and stays as it is", async () => {
    const { team, callers, besides, foreign } = await startWorld();
    const others = [
      ...Object.values(foreign),
      ...Object.entries(besides).flatMap(([kind, id]) => (isOfProject(kind as Kind) ? [id] : [])),
    ];
    const kept = async () =>
      (JSON.parse(await everythingIn(team.store)) as Record<string, unknown>[])
        .filter((row) => others.some((id) => JSON.stringify(row).includes(id)))
        .map(({ last_used_at: _, ...row }) => JSON.stringify(row));
    const before = await kept();
    const wrong: string[] = [];
    for (const { operation, place } of cells) {
      const own = await freshValues(team, operation);
      for (const [caller, options] of Object.entries(callers)) {
        const ask = async (id: string) => {
          const { path, body } = callWith(operation, place, own, id);
          return team.call(path, body, options);
        };
        const absent = await ask(madeUp(foreign[place.kind]));
        const expected = told(absent, madeUp(foreign[place.kind]));
        const ids = isOfProject(place.kind) ? [besides[place.kind], foreign[place.kind]] : [foreign[place.kind]];
        const cell = `${caller}: ${operation.path} ${place.path.join("/")}`;
        if (absent.status >= 500 && absent.status !== 501) wrong.push(`${cell}: ${absent.text}`);
        for (const id of ids) {
          const answer = await ask(id);
          if (told(answer, id) !== expected) wrong.push(`${cell}: ${told(answer, id)}, where nothing is ${expected}`);
        }
        const elsewhere = await ask(inAnotherRegion(foreign[place.kind]));
        const isHidden = [absent.status, 404, 421].includes(elsewhere.status);
        if (!isHidden) wrong.push(`${cell}, in another region: ${elsewhere.text}`);
      }
    }
    expect(wrong).toEqual([]);
    // The calls differed from good ones in nothing but that id.
    for (const operation of new Set(cells.map((cell) => cell.operation))) {
      const { path, body } = validCall(operation, await freshValues(team, operation));
      const { status } = await team.call(path, body, team.inProject(team.owner));
      expect([operation.path, status]).toEqual([operation.path, isReserved(operation) ? 501 : 200]);
    }
    const after = new Set(await kept());
    expect(before.length).toBeGreaterThan(50);
    expect(before.filter((row) => !after.has(row))).toEqual([]);
  });

  test("is no project either: a caller learns nothing about one that they are not in", async () => {
    const { team, callers, besides, foreign } = await startWorld();
    const wrong: string[] = [];
    const inProject = ({ as, headers, project }: CallOptions, id: string): CallOptions => {
      const named = { ...headers, ...(headers ? { "x-signalbox-project": id } : {}) };
      return { ...(as && { as }), ...(project === undefined ? {} : { project: id }), headers: named };
    };
    for (const operation of operations.filter(({ needs }) => needsProject(needs))) {
      const { path, body } = validCall(operation, await freshValues(team, operation));
      delete body.project_id;
      for (const [caller, options] of Object.entries(callers)) {
        const ask = (id: string) => team.call(path, body, inProject(options, id));
        const nowhere = madeUp(foreign.project);
        const expected = told(await ask(nowhere), nowhere);
        const cell = `${caller}: ${operation.path}`;
        if (!expected.startsWith("404 ")) wrong.push(`${cell}: ${expected}`);
        // The owner made the other project too, and is its admin.
        const isIn =
          caller === "owner" || caller === "owner with a session" || caller === "owner's key that only views";
        for (const id of isIn ? [foreign.project] : [foreign.project, besides.project]) {
          const answer = await ask(id);
          if (told(answer, id) !== expected) wrong.push(`${cell}: ${told(answer, id)}, where nothing is ${expected}`);
        }
        const elsewhere = await ask(inAnotherRegion(foreign.project));
        if (elsewhere.status !== 421) wrong.push(`${cell}, in another region: ${elsewhere.text}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
