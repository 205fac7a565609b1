import type { Reply } from "../gateway/envelope.ts";
import { type Field, fields, isCompanyField, isKey } from "./fields.ts";

/** `GET /rest/v1/leads/describe.json`: every field, with its names in the REST and the older SOAP API. */
export const describeLeads = (): Reply => ({ result: describedFields });

/** `GET /rest/v1/leads/describe2.json`: the same fields as one object, with those a query may search by. */
export const describeLeadsAgain = (): Reply => ({ result: [describedObject] });

/** `GET /rest/v1/leads/partitions.json` */
export const readPartitions = (): Reply => ({
  result: [{ id: 1, name: "Default", description: "Initial system lead partition" }],
});

const withLength = ({ length }: Field) => (length === null ? {} : { length });

const describedFields = fields.map((field) => ({
  id: field.id,
  displayName: field.displayName,
  dataType: field.type,
  ...withLength(field),
  rest: { name: field.name, readOnly: field.readOnly },
  // Fields that never had a SOAP name have no such member.
  ...(field.readOnly ? {} : { soap: { name: soapName(field), readOnly: false } }),
}));

const describedObject = {
  name: "API Lead",
  searchableFields: fields.filter(isKey).map(({ name }) => [name]),
  fields: fields.map((field) => ({
    name: field.name,
    displayName: field.displayName,
    dataType: field.type,
    ...withLength(field),
    updateable: !field.readOnly && !isCompanyField(field) && field.name !== "id",
    crmManaged: false,
  })),
};

function soapName({ name, custom }: Field): string {
  return custom ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
