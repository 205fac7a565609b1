import type { JsonSchema } from "../../../api/reference/operation-schemas.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { sentence, table } from "../page-parts.ts";
import type { Links } from "../site-pages.ts";

/**
 * One row of a table of members. The prefix names the parent, `results[].` or `user.`: it is read aloud, and shown as
 * an indent.
 */
interface Field {
  prefix: string;
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

/** All members, each followed by its own members. The Permissions object has its own section. */
export function fieldsOf(schema: JsonSchema, prefix = ""): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const inside = name === "permissions" ? [] : fieldsInside(member, `${prefix}${name}`);
    return [{ prefix, name, schema: member, isRequired }, ...inside];
  });
}

const fieldsInside = (schema: JsonSchema, path: string): Field[] =>
  schema.items ? fieldsOf(schema.items, `${path}[].`) : fieldsOf(schema, `${path}.`);

export const fieldTable = (caption: string, fields: Field[], kind: "body" | "answer", links: Links): Html =>
  table(
    `fields ${kind}`,
    caption,
    kind === "body" ? ["Name", "Type", "Required", "Description"] : ["Name", "Type", "Description"],
    fields.map((field) => [
      html`<code>${field.prefix === "" ? null : html`<span class="inside">${field.prefix}</span>`}${field.name}</code>`,
      typeOf(field, links),
      ...(kind === "body" ? [neededness(field)] : []),
      sentence(meaningOf(field, kind), links),
    ]),
  );

const neededness = ({ isRequired }: Field): Html =>
  isRequired ? html`<span class="required">required</span>` : html`<span class="optional">optional</span>`;

function typeOf({ name, schema }: Field, links: Links): HtmlPart {
  return name === "permissions" ? html`<a href="${links.page("api")}#permissions">Permissions</a>` : typeName(schema);
}

function typeName(schema: JsonSchema): HtmlPart {
  if (schema.enum) return schema.enum.map((word, index) => html`${index > 0 ? " or " : ""}<code>${word}</code>`);
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  if (schema.anyOf) return schema.anyOf.map((each, index) => [index > 0 ? " or " : "", typeName(each)]);
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (schema.format === "date-time") return "time";
  if (schema.format === "email") return "e-mail";
  if (schema.type === "array") return ["list of ", plural(typeName(schema.items ?? {}))];
  return schema.type ?? "any";
}

const plural = (name: HtmlPart): HtmlPart => (typeof name === "string" ? `${name}s` : name);

/** The description of the definition, and its limits. */
function meaningOf({ schema, isRequired }: Field, kind: "body" | "answer"): string {
  const range =
    schema.minimum === undefined || schema.maximum === undefined ? "" : rangeOf(schema.minimum, schema.maximum);
  const standard = schema.default === undefined ? "" : `default \`${inWords(schema.default)}\``;
  const absent = kind === "answer" && !isRequired ? "may be absent" : "";
  return [schema.description ?? "", range, standard, absent].filter(Boolean).join("; ");
}

const inWords = (value: unknown): string =>
  typeof value === "object" || value === "" ? JSON.stringify(value) : String(value);

const rangeOf = (from: number, to: number): string => `${from.toLocaleString("en")} to ${to.toLocaleString("en")}`;
