import { shorten } from "../../kernel/problem.ts";

/** RFC 7644, table 9: a client distinguishes errors by these words. */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** A SCIM error response. The detail appears in the provider's log. */
export class ScimRefused extends Error {
  readonly status: number;
  readonly scimType: ScimType | null;

  constructor(status: number, scimType: ScimType | null, detail: string) {
    super(shorten(detail));
    this.status = status;
    this.scimType = scimType;
  }
}

export const badRequest = (scimType: ScimType, detail: string): ScimRefused => new ScimRefused(400, scimType, detail);
export const notFound = (): ScimRefused => new ScimRefused(404, null, "There is no such resource in this directory.");

export const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error";

/** `status` is a text: "the HTTP status code expressed as a JSON string" (RFC 7644, 3.12). */
export const errorBody = (status: number, scimType: ScimType | null, detail: string): string =>
  JSON.stringify({ schemas: [errorSchema], ...(scimType && { scimType }), detail, status: String(status) });
