import { expect } from "vitest";
import type { StoreKind } from "../stores.ts";
import { startTeam, type Team } from "../team.ts";
import { expectScim } from "./scim-shapes.ts";

export interface ScimAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  body: any;
  text: string;
  headers: Record<string, string | string[] | number | undefined>;
}

export interface ScimOptions {
  /** The whole header; null sends none. */
  authorization?: string | null;
  contentType?: string;
  headers?: Record<string, string>;
}

/** A team whose organization has a directory, called like an identity provider does. */
export interface ScimTeam extends Team {
  directoryId: string;
  token: string;
  /** Each response is checked against the schemas of the standard before a test sees it. */
  scim(method: string, path: string, body?: unknown, options?: ScimOptions): Promise<ScimAnswer>;
  user(userName: string, more?: Record<string, unknown>): Promise<ScimAnswer["body"]>;
  group(displayName: string, memberIds?: string[]): Promise<ScimAnswer["body"]>;
  patch(path: string, ...operations: unknown[]): Promise<ScimAnswer>;
}

export const userUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupUrn = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const enterpriseUrn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export async function startScim(kind: StoreKind, options: Parameters<typeof startTeam>[1] = {}): Promise<ScimTeam> {
  return scimOf(await startTeam(kind, options));
}

export async function scimOf(team: Team): Promise<ScimTeam> {
  const { body: made } = await team.call("directory/create", { label: "Test" }, { as: team.owner });
  const token: string = made.scim_token;

  async function scim(method: string, path: string, body?: unknown, options: ScimOptions = {}): Promise<ScimAnswer> {
    const authorization = options.authorization === undefined ? `Bearer ${token}` : options.authorization;
    const response = await team.app.inject({
      method: method as "GET",
      url: `/scim/v2${path}`,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(body === undefined ? {} : { "content-type": options.contentType ?? "application/scim+json" }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = response.body;
    const answer = {
      status: response.statusCode,
      body: text === "" ? null : JSON.parse(text),
      text,
      headers: response.headers,
    };
    expectScim(answer);
    return answer;
  }

  return {
    ...team,
    directoryId: made.directory_id,
    token,
    scim,
    async user(userName, more = {}) {
      const answer = await scim("POST", "/Users", { schemas: [userUrn], userName, ...more });
      expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
      return answer.body;
    },
    async group(displayName, memberIds = []) {
      const members = memberIds.map((value) => ({ value }));
      const answer = await scim("POST", "/Groups", { schemas: [groupUrn], displayName, members });
      expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
      return answer.body;
    },
    patch: (path, ...operations) => scim("PATCH", path, { schemas: [patchUrn], Operations: operations }),
  };
}

/** Inserts this many people directly: enough for a database to use an index instead of a scan. Returns their ids. */
export async function fillDirectory({ store, owner, directoryId }: ScimTeam, count: number): Promise<string[]> {
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`;
  await store.transaction(async (db) => {
    await db.query(
      `insert into users (id, organization_id, email, email_key, organization_role, active, created_at)
       ${numbers} select 'usr_' || i, $1, 'a' || i, 'no-address:' || i, 'member', 1, $2 from n`,
      [owner.organizationId, "2026-01-01"],
    );
    await db.query(
      `insert into directory_people (user_id, directory_id, user_name, user_name_key, external_id, display, resource,
                                     created_at, updated_at)
       ${numbers} select 'usr_' || i, $1, 'n' || i, 'n' || i, 'e' || i, 'd', '{}', $2, $2 from n`,
      [directoryId, "2026-01-01"],
    );
    for (const attribute of ["emails.value", "displayname"]) {
      await db.query(
        `insert into directory_values (owner_id, attribute, element, directory_id, term)
         ${numbers} select 'usr_' || i, $1, 0, $2, 'v' || i from n`,
        [attribute, directoryId],
      );
    }
    await db.query(
      `insert into directory_values (owner_id, attribute, element, directory_id, term)
       ${numbers} select 'usr_' || i, 'emails.type', 0, $1, 'work' from n`,
      [directoryId],
    );
    // SQLite must plan without statistics, as in production.
    if (store.kind === "postgres") await db.query("analyze");
  });
  return Array.from({ length: count }, (_, index) => `usr_${index + 1}`);
}
