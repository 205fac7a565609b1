import { type Attribute, binary, complex, flag, list, moment, plainList, reference, text } from "./attributes.ts";

/** The table of all attributes. A path, key or filter that is not in it is unknown. */

export const userUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupUrn = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const enterpriseUrn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** On every resource, and in no schema (RFC 7643, 3.1). */
export const commonAttributes: Attribute[] = [
  text("id", "The id that Signalbox gave", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
  }),
  text("externalId", "The id that the provider gave", { caseExact: true }),
  reference("schemas", "What the resource is made of", ["uri"], { multiValued: true, returned: "always" }),
  complex(
    "meta",
    "About the resource itself",
    [
      text("resourceType", "User or Group", { caseExact: true, mutability: "readOnly" }),
      moment("created", "When it was created"),
      moment("lastModified", "When it was last changed"),
      reference("location", "Its address", ["uri"], { mutability: "readOnly" }),
      text("version", "Its version, as in the ETag header", { caseExact: true, mutability: "readOnly" }),
    ],
    { mutability: "readOnly" },
  ),
];

const userAttributes: Attribute[] = [
  text("userName", "What the person signs in with at the provider", { required: true, uniqueness: "server" }),
  complex("name", "The parts of the person's name", [
    text("formatted", "The whole name, as it is written"),
    text("familyName", "Family name"),
    text("givenName", "Given name"),
    text("middleName", "Middle names"),
    text("honorificPrefix", "What stands before the name"),
    text("honorificSuffix", "What stands after the name"),
  ]),
  text("displayName", "The name to show"),
  text("nickName", "How the person is called"),
  reference("profileUrl", "A page about the person", ["external"]),
  text("title", "Such as Vice President"),
  text("userType", "Such as Contractor"),
  text("preferredLanguage", "As in Accept-Language"),
  text("locale", "For dates, numbers and currency"),
  text("timezone", "A name of the time zone database"),
  flag("active", "Whether the account works. False ends every session and key at once"),
  text("password", "Taken, and never kept or shown", { caseExact: true, mutability: "writeOnly", returned: "never" }),
  plainList("emails", "Addresses for mail", ["work", "home", "other"]),
  plainList("phoneNumbers", "Phone numbers", ["work", "home", "mobile", "fax", "pager", "other"]),
  plainList("ims", "Addresses for instant messages"),
  plainList("photos", "Pictures", ["photo", "thumbnail"], reference("value", "Address of a picture", ["external"])),
  list("addresses", "Postal addresses", [
    text("formatted", "The whole address, as it is written"),
    text("streetAddress", "Street, house, flat"),
    text("locality", "City or place"),
    text("region", "State or region"),
    text("postalCode", "Postal code"),
    text("country", "Two letters"),
    text("type", "What kind it is", { canonicalValues: ["work", "home", "other"] }),
    flag("primary", "Whether it is the main one; at most one is"),
  ]),
  list(
    "groups",
    "The groups the person is in; changed by changing the groups",
    [
      text("value", "Id of the group", { caseExact: true, mutability: "readOnly" }),
      reference("$ref", "Address of the group", ["Group"], { mutability: "readOnly" }),
      text("display", "Name of the group", { mutability: "readOnly" }),
      text("type", "How they are in it", { mutability: "readOnly", canonicalValues: ["direct"] }),
    ],
    { mutability: "readOnly" },
  ),
  plainList("entitlements", "What the person is entitled to"),
  plainList("roles", "Roles of the person at the provider"),
  plainList("x509Certificates", "Certificates", [], binary("value", "A certificate in DER, as base64")),
];

const enterpriseAttributes: Attribute[] = [
  text("employeeNumber", "The number the organization gave"),
  text("costCenter", "Cost centre"),
  text("organization", "Organization"),
  text("division", "Division"),
  text("department", "Department"),
  complex("manager", "Whom the person reports to", [
    text("value", "Id of the manager", { caseExact: true }),
    reference("$ref", "Address of the manager", ["User"]),
    text("displayName", "Name of the manager", { mutability: "readOnly" }),
  ]),
];

const groupAttributes: Attribute[] = [
  text("displayName", "Name of the group", { required: true, uniqueness: "server" }),
  list("members", "Who is in the group", [
    text("value", "Id of the person", { caseExact: true, mutability: "immutable" }),
    reference("$ref", "Address of the person", ["User"], { mutability: "immutable" }),
    text("display", "Name of the person", { mutability: "readOnly" }),
    text("type", "User", { mutability: "immutable", canonicalValues: ["User"] }),
  ]),
];

/** `valuePrefix` precedes the names of an extension's values in the store. It is empty for a core schema. */
export interface Schema {
  urn: string;
  name: string;
  description: string;
  attributes: Attribute[];
  valuePrefix: string;
}

export const userSchema: Schema = {
  urn: userUrn,
  name: "User",
  description: "User Account",
  attributes: userAttributes,
  valuePrefix: "",
};
export const enterpriseSchema: Schema = {
  urn: enterpriseUrn,
  name: "EnterpriseUser",
  description: "Enterprise User",
  attributes: enterpriseAttributes,
  valuePrefix: "enterprise.",
};
export const groupSchema: Schema = {
  urn: groupUrn,
  name: "Group",
  description: "Group",
  attributes: groupAttributes,
  valuePrefix: "",
};

export interface ResourceType {
  name: "User" | "Group";
  endpoint: "/Users" | "/Groups";
  description: string;
  core: Schema;
  extensions: Schema[];
}

export const userType: ResourceType = {
  name: "User",
  endpoint: "/Users",
  description: "People",
  core: userSchema,
  extensions: [enterpriseSchema],
};
export const groupType: ResourceType = {
  name: "Group",
  endpoint: "/Groups",
  description: "Groups of people",
  core: groupSchema,
  extensions: [],
};
export const resourceTypes = [userType, groupType];
export const schemas = [userSchema, enterpriseSchema, groupSchema];
