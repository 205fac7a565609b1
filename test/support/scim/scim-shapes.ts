import { expect } from "vitest";
import * as z from "zod";
import type { Attribute } from "../../../src/scim/schema/attribute-types.ts";
import { commonAttributes, enterpriseSchema, groupSchema, userSchema } from "../../../src/scim/schema/schemas.ts";
import { expectCommonHeaders } from "../calls/expect-problem.ts";

/**
 * The schemas of RFC 7643 and 7644, generated from the schema table: strict, so that a response contains nothing beyond
 * them.
 */

const simple: Record<Exclude<Attribute["type"], "complex">, z.ZodType> = {
  string: z.string().min(1),
  reference: z.string().min(1),
  binary: z.string().min(1),
  boolean: z.boolean(),
  dateTime: z.iso.datetime(),
};

function shapeOf(attribute: Attribute): z.ZodType {
  const one =
    attribute.type === "complex"
      ? z.strictObject(shapesOf(attribute.subAttributes ?? [], false))
      : simple[attribute.type];
  return attribute.multiValued ? z.array(one) : one;
}

const shapesOf = (attributes: Attribute[], isWhole: boolean): Record<string, z.ZodType> =>
  Object.fromEntries(
    attributes
      .filter(({ returned }) => returned !== "never")
      .map((attribute) => {
        const isSure = isWhole && attribute.returned === "always";
        return [attribute.name, isSure ? shapeOf(attribute) : shapeOf(attribute).optional()];
      }),
  );

const resource = (urn: string, attributes: Attribute[], more: Record<string, z.ZodType> = {}) =>
  z
    .strictObject({ ...shapesOf([...commonAttributes, ...attributes], true), ...more })
    .refine((value) => (value as { schemas: string[] }).schemas.includes(urn), { error: `lacks ${urn}` })
    .refine(
      (value) =>
        (value as { schemas: string[] }).schemas.length === new Set((value as { schemas: string[] }).schemas).size,
    );

const User = resource(userSchema.urn, userSchema.attributes, {
  [enterpriseSchema.urn]: z.strictObject(shapesOf(enterpriseSchema.attributes, false)).optional(),
});
const Group = resource(groupSchema.urn, groupSchema.attributes);

const ErrorBody = z.strictObject({
  schemas: z.tuple([z.literal("urn:ietf:params:scim:api:messages:2.0:Error")]),
  status: z.string().regex(/^[45]\d\d$/),
  scimType: z
    .enum([
      "invalidFilter",
      "tooMany",
      "uniqueness",
      "mutability",
      "invalidSyntax",
      "invalidPath",
      "noTarget",
      "invalidValue",
    ])
    .optional(),
  detail: z.string().min(1),
});

const discovered = z.looseObject({ schemas: z.array(z.string()).min(1), meta: z.looseObject({ location: z.url() }) });
const urnOf = (value: unknown): string => (value as { schemas?: string[] }).schemas?.[0] ?? "";

const ListBody = z.strictObject({
  schemas: z.tuple([z.literal("urn:ietf:params:scim:api:messages:2.0:ListResponse")]),
  totalResults: z.int(),
  startIndex: z.int().min(1),
  itemsPerPage: z.int(),
  Resources: z.array(z.unknown()),
});

interface Answer {
  status: number;
  body: unknown;
  text: string;
  headers: Record<string, unknown>;
}

// A stack frame, a file of ours, or the start of a statement.
const innards = /\bat \S+ \(|\.ts:\d|node_modules|\bselect\s.+\sfrom\b|\binsert into\b|\bsqlite|\bpostgres/i;

export function expectScim({ status, body, text, headers }: Answer): void {
  expectCommonHeaders(headers);
  if (status === 204 || status === 304) {
    expect([text, headers["content-length"]]).toEqual(["", undefined]);
    return;
  }
  expect(headers["content-type"]).toBe("application/scim+json");
  expect(text).not.toMatch(/"password":/);
  const version = (body as { meta?: { version?: string } }).meta?.version;
  if (version !== undefined) expect(headers.etag).toBe(version);
  if (status >= 400) {
    expect(ErrorBody.parse(body).status).toBe(String(status));
    expect(text).not.toMatch(innards);
    expect("www-authenticate" in headers).toBe(status === 401);
    return;
  }
  expectResource(body);
}

function expectResource(body: unknown): void {
  const urn = urnOf(body);
  if (urn === "urn:ietf:params:scim:api:messages:2.0:ListResponse") {
    const list = ListBody.parse(body);
    expect(list.itemsPerPage).toBe(list.Resources.length);
    for (const each of list.Resources) expectResource(each);
  } else if (urn === userSchema.urn) User.parse(body);
  else if (urn === groupSchema.urn) Group.parse(body);
  else discovered.parse(body);
}
