import { type Attribute, binary, complex, flag, list, moment, plainList, reference, text } from "./attribute-types.ts";

/** The table of all attributes. A path, key or filter that is not in it is unknown. */

export const userUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupUrn = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const enterpriseUrn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** On every resource, and in no schema (RFC 7643, 3.1). */
export const commonAttributes: Attribute[] = [
  text("id", "Id that Signalbox assigned", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
  }),
  text("externalId", "Id that the identity provider assigned", { caseExact: true }),
  reference("schemas", "Schemas of the resource", ["uri"], { multiValued: true, returned: "always" }),
  complex(
    "meta",
    "Metadata of the resource",
    [
      text("resourceType", "User or Group", { caseExact: true, mutability: "readOnly" }),
      moment("created", "Time of creation"),
      moment("lastModified", "Time of the last change"),
      reference("location", "Address of the resource", ["uri"], { mutability: "readOnly" }),
      text("version", "Version, as in the ETag header", { caseExact: true, mutability: "readOnly" }),
    ],
    { mutability: "readOnly" },
  ),
];

const userAttributes: Attribute[] = [
  text("userName", "Name that the person signs in with at the identity provider", {
    required: true,
    uniqueness: "server",
  }),
  complex("name", "Parts of the person's name", [
    text("formatted", "Full name, formatted"),
    text("familyName", "Family name"),
    text("givenName", "Given name"),
    text("middleName", "Middle names"),
    text("honorificPrefix", "Prefix, such as Dr."),
    text("honorificSuffix", "Suffix, such as Jr."),
  ]),
  text("displayName", "Display name"),
  text("nickName", "Nickname"),
  reference("profileUrl", "Profile page of the person", ["external"]),
  text("title", "Job title, such as Vice President"),
  text("userType", "Type of user, such as Contractor"),
  text("preferredLanguage", "Language, as in Accept-Language"),
  text("locale", "Locale for dates, numbers and currency"),
  text("timezone", "Time zone, as in the IANA database"),
  flag("active", "Whether the account is active. False ends every session and key immediately"),
  text("password", "Accepted, but never stored or returned", {
    caseExact: true,
    mutability: "writeOnly",
    returned: "never",
  }),
  plainList("emails", "E-mail addresses", ["work", "home", "other"]),
  plainList("phoneNumbers", "Phone numbers", ["work", "home", "mobile", "fax", "pager", "other"]),
  plainList("ims", "Instant messaging addresses"),
  plainList("photos", "Pictures", ["photo", "thumbnail"], reference("value", "Address of a picture", ["external"])),
  list("addresses", "Postal addresses", [
    text("formatted", "Full address, formatted"),
    text("streetAddress", "Street address"),
    text("locality", "City"),
    text("region", "State or region"),
    text("postalCode", "Postal code"),
    text("country", "Country code of two letters"),
    text("type", "Type", { canonicalValues: ["work", "home", "other"] }),
    flag("primary", "Whether this is the primary value; at most one is"),
  ]),
  list(
    "groups",
    "Groups of the person. To change them, change the groups",
    [
      text("value", "Id of the group", { caseExact: true, mutability: "readOnly" }),
      reference("$ref", "Address of the group", ["Group"], { mutability: "readOnly" }),
      text("display", "Name of the group", { mutability: "readOnly" }),
      text("type", "Kind of membership", { mutability: "readOnly", canonicalValues: ["direct"] }),
    ],
    { mutability: "readOnly" },
  ),
  plainList("entitlements", "Entitlements of the person"),
  plainList("roles", "Roles of the person at the identity provider"),
  plainList("x509Certificates", "Certificates", [], binary("value", "A certificate in DER, as base64")),
];

const enterpriseAttributes: Attribute[] = [
  text("employeeNumber", "Employee number"),
  text("costCenter", "Cost center"),
  text("organization", "Organization"),
  text("division", "Division"),
  text("department", "Department"),
  complex("manager", "Manager of the person", [
    text("value", "Id of the manager", { caseExact: true }),
    reference("$ref", "Address of the manager", ["User"]),
    text("displayName", "Name of the manager", { mutability: "readOnly" }),
  ]),
];

const groupAttributes: Attribute[] = [
  text("displayName", "Name of the group", { required: true, uniqueness: "server" }),
  list("members", "Members of the group", [
    text("value", "Id of the person", { caseExact: true, mutability: "immutable" }),
    reference("$ref", "Address of the person", ["User"], { mutability: "immutable" }),
    text("display", "Name of the person", { mutability: "readOnly" }),
    text("type", "Type of the member", { mutability: "immutable", canonicalValues: ["User"] }),
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
