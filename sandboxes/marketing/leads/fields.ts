export type FieldType =
  | "string"
  | "text"
  | "email"
  | "phone"
  | "url"
  | "integer"
  | "score"
  | "float"
  | "percent"
  | "currency"
  | "boolean"
  | "date"
  | "datetime"
  | "reference";

export interface Field {
  id: number;
  name: string;
  displayName: string;
  type: FieldType;
  length: number | null;
  readOnly: boolean;
  custom: boolean;
}

type FieldLine = [id: number, name: string, displayName: string, type: FieldType, more?: number | "read only"];

// Belong to the company behind a lead: the lead calls change them, unless the company comes from a CRM.
const companyLines: FieldLine[] = [
  [4, "company", "Company Name", "string", 255],
  [5, "site", "Site", "string", 255],
  [6, "billingStreet", "Billing Address", "text"],
  [7, "billingCity", "Billing City", "string", 255],
  [8, "billingState", "Billing State", "string", 255],
  [9, "billingCountry", "Billing Country", "string", 255],
  [10, "billingPostalCode", "Billing Postal Code", "string", 255],
  [11, "website", "Website", "url", 255],
  [12, "mainPhone", "Main Phone", "phone", 255],
  [15, "annualRevenue", "Annual Revenue", "currency"],
  [16, "numberOfEmployees", "Num Employees", "integer"],
  [17, "industry", "Industry", "string", 255],
  [18, "sicCode", "SIC Code", "string", 40],
];

const standardLines: FieldLine[] = [
  [41, "externalCompanyId", "External Company Id", "string", 50],
  [44, "id", "Id", "integer"],
  [45, "mktoName", "Full Name", "string", "read only"],
  [46, "personType", "Person Type", "string", 50],
  [49, "isLead", "Is Lead", "boolean"],
  [51, "isAnonymous", "Is Anonymous", "boolean"],
  [52, "salutation", "Salutation", "string", 255],
  [53, "firstName", "First Name", "string", 255],
  [54, "middleName", "Middle Name", "string", 255],
  [55, "lastName", "Last Name", "string", 255],
  [56, "email", "Email Address", "email", 255],
  [57, "phone", "Phone Number", "phone", 255],
  [58, "mobilePhone", "Mobile Phone Number", "phone", 255],
  [59, "fax", "Fax Number", "phone", 255],
  [62, "title", "Job Title", "string", 255],
  [64, "dateOfBirth", "Date of Birth", "date"],
  [65, "address", "Address", "text"],
  [66, "city", "City", "string", 255],
  [67, "state", "State", "string", 255],
  [68, "country", "Country", "string", 255],
  [69, "postalCode", "Postal Code", "string", 255],
  [72, "originalSourceType", "Original Source Type", "string", "read only"],
  [73, "originalSourceInfo", "Original Source Info", "string", "read only"],
  [79, "emailInvalid", "Email Invalid", "boolean"],
  [80, "emailInvalidCause", "Email Invalid Cause", "string", 255],
  [81, "unsubscribed", "Unsubscribed", "boolean"],
  [83, "unsubscribedReason", "Unsubscribed Reason", "string", 2000],
  [84, "doNotCall", "Do Not Call", "boolean"],
  [86, "doNotCallReason", "Do Not Call Reason", "string", 2000],
  [87, "marketingSuspended", "Marketing Suspended", "boolean"],
  [89, "blackListed", "Black Listed", "boolean"],
  [91, "mktoPersonNotes", "Person Notes", "text"],
  [105, "anonymousIP", "Anonymous IP", "string", 255],
  [107, "inferredCountry", "Inferred Country", "string", "read only"],
  [128, "department", "Department", "string", 255],
  [132, "createdAt", "Created At", "datetime", "read only"],
  [133, "updatedAt", "Updated At", "datetime", "read only"],
  [138, "cookies", "Cookies", "string", 255],
  [139, "externalSalesPersonId", "External Sales Person Id", "string", 50],
  [145, "leadRole", "Role", "string", 50],
  [146, "leadSource", "Lead Source", "string", 255],
  [147, "leadStatus", "Lead Status", "string", 255],
  [148, "leadScore", "Lead Score", "score"],
  [149, "urgency", "Urgency", "float"],
  [150, "priority", "Priority", "integer"],
  [162, "rating", "Lead Rating", "string", 255],
  [456, "leadPartitionId", "Lead Partition Id", "reference"],
  [541, "facebookId", "Marketo Social Facebook Id", "string", 2000],
  [542, "twitterId", "Marketo Social Twitter Id", "string", 2000],
  [543, "linkedInId", "Marketo Social LinkedIn Id", "string", 2000],
  [601, "sfdcLeadId", "SFDC Lead Id", "string", 50],
  [602, "sfdcContactId", "SFDC Contact Id", "string", 50],
  [603, "sfdcAccountId", "SFDC Account Id", "string", 50],
  [608, "acquisitionProgramId", "Acquisition Program", "reference"],
];

// This instance's own fields, one of every type a customer can make.
const customLines: FieldLine[] = [
  [801, "customerNumber", "Customer Number", "string", 40],
  [802, "favoriteProduct", "Favorite Product", "string", 255],
  [803, "seats", "Seats", "integer"],
  [804, "contractValue", "Contract Value", "currency"],
  [805, "discountPercent", "Discount", "percent"],
  [806, "satisfaction", "Satisfaction", "float"],
  [807, "engagementScore", "Engagement Score", "score"],
  [808, "betaTester", "Beta Tester", "boolean"],
  [809, "renewalDate", "Renewal Date", "date"],
  [810, "lastDemoAt", "Last Demo At", "datetime"],
  [811, "assistantEmail", "Assistant Email", "email", 255],
  [812, "accountNotes", "Account Notes", "text"],
  [813, "profileUrl", "Profile URL", "url", 255],
];

const readLine =
  (custom: boolean) =>
  ([id, name, displayName, type, more]: FieldLine): Field => ({
    id,
    name,
    displayName,
    type,
    length: typeof more === "number" ? more : type === "string" ? 255 : null,
    readOnly: more === "read only",
    custom,
  });

export const fields: Field[] = [
  ...companyLines.map(readLine(false)),
  ...standardLines.map(readLine(false)),
  ...customLines.map(readLine(true)),
];

export const fieldsByName = new Map(fields.map((field) => [field.name, field]));
export const fieldsById = new Map(fields.map((field) => [field.id, field]));

export const isCompanyField = (field: Field) => field.id <= 18;

const socialAndCrmIds = ["facebookId", "twitterId", "linkedInId", "sfdcLeadId", "sfdcContactId", "sfdcAccountId"];
const standardKeys = new Set(["id", "email", "cookies", "leadPartitionId", ...socialAndCrmIds]);
const keyTypes = new Set<FieldType>(["string", "email", "integer"]);

/** Leads can be looked up by a few standard fields, and by custom ones of three types. */
export const isKey = (field: Field) => standardKeys.has(field.name) || (field.custom && keyTypes.has(field.type));
