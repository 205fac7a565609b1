import { filterBytesMax } from "../filters/filter-tokens.ts";
import { countMax } from "../list-query.ts";
import type { Attribute } from "./attribute-types.ts";
import { type ResourceType, resourceTypes, type Schema, schemas } from "./schemas.ts";

/** The discovery documents (RFC 7643, 5 to 7), generated from the schema table. */

const schemaUrn = "urn:ietf:params:scim:schemas:core:2.0:Schema";
const resourceTypeUrn = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";
const configUrn = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig";

export const bodyBytesMax = 4 * 1024 * 1024;

export const serviceProviderConfig = (baseUrl: string) => ({
  schemas: [configUrn],
  documentationUri: `${baseUrl}/latest/documentation`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: bodyBytesMax },
  filter: { supported: true, maxResults: countMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: `The token of the directory, in the Authorization header. A filter can have up to ${filterBytesMax} bytes.`,
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${baseUrl}/scim/v2/ServiceProviderConfig` },
});

export const resourceTypeDocument = (type: ResourceType, baseUrl: string) => ({
  schemas: [resourceTypeUrn],
  id: type.name,
  name: type.name,
  endpoint: type.endpoint,
  description: type.description,
  schema: type.core.urn,
  schemaExtensions: type.extensions.map(({ urn }) => ({ schema: urn, required: false })),
  meta: { resourceType: "ResourceType", location: `${baseUrl}/scim/v2/ResourceTypes/${type.name}` },
});

export const schemaDocument = ({ urn, name, description, attributes }: Schema, baseUrl: string) => ({
  schemas: [schemaUrn],
  id: urn,
  name,
  description,
  attributes: attributes.map(attributeDocument),
  meta: { resourceType: "Schema", location: `${baseUrl}/scim/v2/Schemas/${urn}` },
});

function attributeDocument(attribute: Attribute): object {
  const { subAttributes, caseExact, uniqueness, ...rest } = attribute;
  // `caseExact` and `uniqueness` apply to texts only.
  const ofText = attribute.type === "complex" || attribute.type === "boolean" ? {} : { caseExact, uniqueness };
  return { ...rest, ...ofText, ...(subAttributes && { subAttributes: subAttributes.map(attributeDocument) }) };
}

const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export const findResourceType = (name: string): ResourceType | undefined =>
  resourceTypes.find((type) => sameText(type.name, name));
export const findSchema = (urn: string): Schema | undefined => schemas.find((schema) => sameText(schema.urn, urn));
