/** One attribute of a schema, in the words of RFC 7643, section 7. */
export interface Attribute {
  name: string;
  type: "string" | "boolean" | "dateTime" | "reference" | "binary" | "complex";
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly";
  returned: "always" | "never" | "default" | "request";
  uniqueness: "none" | "server";
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: Attribute[];
}

type More = Partial<Omit<Attribute, "name" | "type" | "description">>;

const attribute = (type: Attribute["type"], name: string, description: string, more: More = {}): Attribute => ({
  name,
  type,
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});

export const text = (name: string, description: string, more?: More): Attribute =>
  attribute("string", name, description, more);
export const flag = (name: string, description: string, more?: More): Attribute =>
  attribute("boolean", name, description, more);
export const moment = (name: string, description: string): Attribute =>
  attribute("dateTime", name, description, { mutability: "readOnly" });
export const reference = (name: string, description: string, referenceTypes: string[], more?: More): Attribute =>
  attribute("reference", name, description, { referenceTypes, caseExact: true, ...more });
export const binary = (name: string, description: string): Attribute =>
  attribute("binary", name, description, { caseExact: true });
export const complex = (name: string, description: string, subAttributes: Attribute[], more?: More): Attribute =>
  attribute("complex", name, description, { subAttributes, ...more });
export const list = (name: string, description: string, subAttributes: Attribute[], more?: More): Attribute =>
  complex(name, description, subAttributes, { multiValued: true, ...more });

/** The default multi-valued attribute of RFC 7643, 2.4: value, display, type and primary. */
export const plainList = (
  name: string,
  description: string,
  kinds: string[] = [],
  value: Attribute = text("value", description),
): Attribute =>
  list(name, description, [
    value,
    text("display", "Display name"),
    text("type", "Type", kinds.length > 0 ? { canonicalValues: kinds } : {}),
    flag("primary", "Whether this is the primary value; at most one is"),
  ]);
