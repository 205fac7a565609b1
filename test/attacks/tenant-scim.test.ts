import { describe, expect, test } from "vitest";
import { notSupported, routes } from "../../src/scim/routes.ts";
import type { ScimAnswer } from "../support/scim/scim.ts";
import { describeOnBothStores } from "../support/stores.ts";
import { leaksIn, putting, textsIn, told } from "./support/foreign-or-absent.ts";
import { questionsOf, type ScimQuestion, type ScimRequest } from "./support/scim-questions.ts";
import { type DirectoryTenant, type DirectoryTenants, startDirectories } from "./support/scim-tenants.ts";
import { changesBetween, rowsOf } from "./support/tenant-rows.ts";

/**
 * "No one reaches another tenant's data": the matrix of tenant-matrix.test.ts for directories. Each request that SCIM serves is
 * called with the token of one organization and the ids, names and addresses of another: in the path, in filters, in bodies, in
 * preconditions. The list is the routing table itself, and the attributes are those of the schemas.
 */

const unsupported = [...notSupported].map((name) => ({ method: "POST", path: `/${name}` }));

const everyQuestion = (tenants: DirectoryTenants): ScimQuestion[] =>
  [...routes, ...unsupported].flatMap((route) => questionsOf(route, tenants));

const send = ({ team }: DirectoryTenant, { method, path, body, headers = {} }: ScimRequest): Promise<ScimAnswer> =>
  team.scim(method, path, body, { headers });

/**
 * Takes back what a request has changed of the caller's own directory: the next one finds it as it was. Returns false where it
 * has changed something else.
 */
async function takesBack(own: DirectoryTenant, { method, path }: ScimRequest, { status, body }: ScimAnswer) {
  if (method === "GET" || status >= 300 || path.endsWith("/.search")) return true;
  if (method === "POST") {
    const made = new URL(body.meta.location).pathname.slice("/scim/v2".length);
    return (await send(own, { method: "DELETE", path: made })).status === 204;
  }
  const type = path.startsWith("/Users") ? "User" : "Group";
  const isOwn = path.endsWith(`/${own.resources[type].id}`);
  return isOwn && (await send(own, { method: "PUT", path, body: own.bodies[type] })).status === 200;
}

describeOnBothStores("another organization's directory", (kind) => {
  test("looks as if it did not exist, in every request with any of its ids and values, and is not changed", async () => {
    const tenants = await startDirectories(kind);
    const { own, theirs } = tenants;
    const { store, owner } = theirs.team;
    const known = textsIn([own.resources, own.bodies]);
    const before = await rowsOf(store, owner.organizationId);
    const secrets = new Set([...before.ids, ...before.emails, ...theirs.emails, ...textsIn(theirs.resources)]);
    for (const text of known) secrets.delete(text);
    const wrong: string[] = [];
    for (const { title, request } of everyQuestion(tenants)) {
      const ask = async (whose: "theirs" | "nobody's") => {
        const put = putting(whose, known);
        const asked = request(put);
        const answer = await send(own, asked);
        const leaks = leaksIn(answer, secrets, { ...asked, path: decodeURIComponent(asked.path) });
        if (leaks.length > 0) wrong.push(`${title}, ${whose}: ${leaks} in ${answer.text}`);
        if (answer.status === 500) wrong.push(`${title}, ${whose}: ${answer.text}`);
        if (!(await takesBack(own, asked, answer))) wrong.push(`${title}, ${whose}: changed what is not the caller's`);
        return told(answer, put);
      };
      const [foreign, absent] = [await ask("theirs"), await ask("nobody's")];
      if (foreign !== absent) wrong.push(`${title}: ${foreign}, where nothing is ${absent}`);
    }
    expect(wrong).toEqual([]);
    expect(changesBetween(before, await rowsOf(store, owner.organizationId))).toEqual([]);
    expect(before.rows.length).toBeGreaterThan(50);
    expect(secrets.size).toBeGreaterThan(60);
  });

  test("is found with its own token by the same requests, so it is the token that hides it", async () => {
    const tenants = await startDirectories(kind);
    const { own, theirs } = tenants;
    const known = textsIn([own.resources, own.bodies]);
    const found = new Set<string>();
    const notFound: string[] = [];
    for (const { title, request } of everyQuestion(tenants)) {
      const ask = async (whose: "theirs" | "nobody's") => {
        const put = putting(whose, known);
        const answer = await send(theirs, request(put));
        return { status: answer.status, said: told(answer, put), isSecret: put.sent.size > 0 };
      };
      const { method, path } = request(putting("theirs", known));
      if (method !== "GET" && !path.endsWith("/.search")) continue;
      const [there, absent] = [await ask("theirs"), await ask("nobody's")];
      if (there.said !== absent.said) found.add(title);
      else if (there.status === 200 && there.isSecret) notFound.push(title);
    }
    expect(notFound.filter((title) => !title.includes(neverKept))).toEqual([]);
    expect(found.size).toBeGreaterThan(300);
    expect([...found]).toEqual(expect.arrayContaining(["person", "manager"].map(byId("users"))));
    expect([...found]).toEqual(expect.arrayContaining(["group"].map(byId("groups"))));
  });
});

/** The name of a manager is the manager's own. */
const neverKept = "manager.displayName";

const byId = (name: string) => (whose: string) => `GET /${name}/{id}, the id of ${whose}`;

describe("the requests that a directory may send", () => {
  test("are all in the matrix: a new route fails it with a sentence until somebody says what it takes", async () => {
    const tenants = await startDirectories("sqlite");
    expect(routes.length).toBeGreaterThan(15);
    expect([...routes, ...unsupported].filter((route) => questionsOf(route, tenants).length === 0)).toEqual([]);
    for (const route of [
      { method: "GET", path: "/devices" },
      { method: "PUT", path: "/users" },
      { method: "POST", path: "/groups/.move" },
    ]) {
      expect(() => questionsOf(route, tenants)).toThrow(`Nobody asks ${route.method} ${route.path}`);
    }
  });
});
