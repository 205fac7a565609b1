/** The kinds of activity, under the ids that they have in every instance. */
export const typeIds = {
  visitWebpage: 1,
  fillOutForm: 2,
  sendEmail: 6,
  emailDelivered: 7,
  emailBounced: 8,
  unsubscribeEmail: 9,
  openEmail: 10,
  clickEmail: 11,
  newLead: 12,
  changeDataValue: 13,
  addToList: 24,
  removeFromList: 25,
  emailBouncedSoft: 27,
  deleteLead: 37,
  requestCampaign: 47,
} as const;

type AttributeLine = string | [name: string, dataType: string];

const mailing: AttributeLine[] = [
  ["Campaign Run ID", "integer"],
  ["Choice Number", "integer"],
  ["Has Predictive", "boolean"],
  ["Step ID", "integer"],
  ["Test Variant", "integer"],
];
const bounce: AttributeLine[] = [...mailing, "Category", "Details", "Email", "Subcategory"];
const opening: AttributeLine[] = [
  ...mailing,
  "Bot Activity Pattern",
  "Device",
  ["Is Bot Activity", "boolean"],
  ["Is Mobile Device", "boolean"],
  "Platform",
  "User Agent",
];
const browsing: AttributeLine[] = ["Client IP Address", "Query Parameters", "Referrer URL", "User Agent"];

const lines: [id: number, name: string, description: string, primary: string, attributes: AttributeLine[]][] = [
  [
    1,
    "Visit Webpage",
    "Someone looked at a page",
    "Webpage ID",
    [...browsing, "Search Engine", "Search Query", "Webpage URL"],
  ],
  [2, "Fill Out Form", "Someone sent a form", "Webform ID", [...browsing, "Form Fields", ["Webpage ID", "integer"]]],
  [6, "Send Email", "A mailing was sent to someone", "Mailing ID", mailing],
  [7, "Email Delivered", "A mailing reached its mailbox", "Mailing ID", mailing],
  [8, "Email Bounced", "A mailing was turned back for good", "Mailing ID", bounce],
  [
    9,
    "Unsubscribe Email",
    "Someone asked for no more mailings",
    "Mailing ID",
    [...opening, "Client IP Address", "Form Fields", ["Webform ID", "integer"], ["Webpage ID", "integer"]],
  ],
  [10, "Open Email", "Someone opened a mailing", "Mailing ID", opening],
  [11, "Click Email", "Someone followed a link in a mailing", "Mailing ID", [...opening, "Link", "Link ID"]],
  [12, "New Lead", "A person was added", "Lead", ["Created Date", "Lead Source", "Source Type"]],
  [
    13,
    "Change Data Value",
    "A person's field changed",
    "Attribute Name",
    ["New Value", "Old Value", "Reason", "Source"],
  ],
  [24, "Add to List", "A person was put on a list", "List ID", ["Source"]],
  [25, "Remove from List", "A person was taken off a list", "List ID", ["Source"]],
  [27, "Email Bounced Soft", "A mailing was turned back for now", "Mailing ID", bounce],
  [37, "Delete Lead", "A person was deleted", "Lead", ["Campaign", "Remove from CRM"]],
  [47, "Request Campaign", "A campaign was asked to run for a person", "Campaign ID", ["Source"]],
];

const textual = new Set(["Lead", "Attribute Name"]);

function definition([name, dataType]: [string, string]) {
  return { name, dataType };
}

/** As `activities/types.json` gives them. */
export const activityTypes = lines.map(([id, name, description, primary, attributes]) => ({
  id,
  name,
  description,
  primaryAttribute: definition([primary, textual.has(primary) ? "string" : "integer"]),
  attributes: attributes.map((line) => definition(typeof line === "string" ? [line, "string"] : line)),
}));
