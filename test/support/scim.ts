import { expect } from "vitest";
import { expectScim } from "./scim-shapes.ts";
import type { StoreKind } from "./stores.ts";
import { startTeam, type Team } from "./team.ts";

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
}

/** A team whose organization has a directory, called as an identity provider calls it. */
export interface ScimTeam extends Team {
  directoryId: string;
  token: string;
  /** Each answer is checked against the shapes of the standard before a test sees it. */
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
