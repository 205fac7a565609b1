import { expect } from "vitest";

/** What a member may be: words joined by `|`, an object of its own, or a list of one of these. A name ending in `?` may be absent. */
export type Check = string | Shape | readonly [Check];
export interface Shape {
  readonly [member: string]: Check;
}

const kinds: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  leadTime: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(value)),
  assetTime: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\+0000$/.test(String(value)),
  requestId: (value) => /^[0-9a-f]+#[0-9a-f]+$/.test(String(value)),
};

/** Fails on a missing member, a member nobody documented, and a value of the wrong kind. */
export function expectShape(value: unknown, check: Check, where = "answer"): void {
  if (typeof check === "string") {
    const isRight = check.split("|").some((kind) => kinds[kind]?.(value) ?? value === kind);
    expect(isRight, `${where} is ${JSON.stringify(value)}, not ${check}`).toBe(true);
  } else if (isList(check)) {
    expect(Array.isArray(value), `${where} is a list`).toBe(true);
    for (const [index, each] of (value as unknown[]).entries()) expectShape(each, check[0], `${where}[${index}]`);
  } else {
    expectMembers(value as Record<string, unknown>, check, where);
  }
}

const isList = (check: Shape | readonly [Check]): check is readonly [Check] => Array.isArray(check);

function expectMembers(value: Record<string, unknown>, shape: Shape, where: string): void {
  expect(typeof value, `${where} is an object`).toBe("object");
  const known = new Map(Object.keys(shape).map((name) => [name.replace(/\?$/, ""), name]));
  for (const name of Object.keys(value)) expect(known.has(name), `${where} has an unknown member ${name}`).toBe(true);
  for (const [name, declared] of known) {
    if (declared.endsWith("?") && !(name in value)) continue;
    expect(name in value, `${where} has ${name}`).toBe(true);
    expectShape(value[name], shape[declared] ?? "null", `${where}.${name}`);
  }
}

const errors = [{ code: "string", message: "string" }] as const;

export const shapes = {
  token: { access_token: "string", token_type: "bearer", expires_in: "integer", scope: "string" },
  leadFailure: { requestId: "requestId", success: "boolean", errors },
  assetFailure: { success: "boolean", errors, requestId: "requestId", warnings: ["string"] },
  defaultLead: {
    id: "integer",
    firstName: "string|null",
    lastName: "string|null",
    email: "string|null",
    updatedAt: "leadTime",
    createdAt: "leadTime",
  },
  rowResult: { "id?": "integer", status: "string", "reasons?": errors },
  list: {
    id: "integer",
    name: "string",
    "description?": "string",
    "programName?": "string",
    workspaceId: "integer",
    workspaceName: "string",
    createdAt: "leadTime",
    updatedAt: "leadTime",
  },
  campaign: {
    id: "integer",
    name: "string",
    description: "string",
    type: "batch|trigger",
    "programId?": "integer",
    "programName?": "string",
    workspaceName: "string",
    createdAt: "leadTime",
    updatedAt: "leadTime",
    active: "boolean",
  },
  activity: {
    id: "integer",
    marketoGUID: "string",
    leadId: "integer",
    activityDate: "leadTime",
    activityTypeId: "integer",
    "campaignId?": "integer",
    primaryAttributeValueId: "integer",
    primaryAttributeValue: "string",
    attributes: [{ name: "string", value: "string|number|boolean" }],
  },
  leadChange: {
    id: "integer",
    marketoGUID: "string",
    leadId: "integer",
    activityDate: "leadTime",
    activityTypeId: "integer",
    fields: [{ id: "integer", name: "string", newValue: "string|null", oldValue: "string|null" }],
    attributes: [{ name: "string", value: "string" }],
  },
  activityType: {
    id: "integer",
    name: "string",
    description: "string",
    primaryAttribute: { name: "string", dataType: "string" },
    attributes: [{ name: "string", dataType: "string" }],
  },
  field: {
    id: "integer",
    displayName: "string",
    dataType: "string",
    "length?": "integer",
    rest: { name: "string", readOnly: "boolean" },
    "soap?": { name: "string", readOnly: "boolean" },
  },
  program: {
    id: "integer",
    name: "string",
    description: "string",
    createdAt: "assetTime",
    updatedAt: "assetTime",
    url: "string",
    type: "Default|Event|Event with Webinar|Engagement|Email",
    channel: "string",
    folder: { type: "Folder", value: "integer", folderName: "string" },
    status: "string",
    workspace: "string",
    headStart: "boolean",
  },
  email: {
    id: "integer",
    name: "string",
    description: "string",
    createdAt: "assetTime",
    updatedAt: "assetTime",
    url: "string",
    subject: { type: "Text", value: "string" },
    fromName: { type: "Text", value: "string" },
    fromEmail: { type: "Text", value: "string" },
    replyEmail: { type: "Text", value: "string" },
    folder: { type: "Folder|Program", value: "integer", folderName: "string" },
    operational: "boolean",
    textOnly: "boolean",
    publishToMSI: "boolean",
    webView: "boolean",
    status: "approved|draft",
    template: "integer",
    workspace: "string",
    version: "integer",
    autoCopyToText: "boolean",
    ccFields: "null",
    preHeader: "string|null",
  },
  programStats: {
    id: "integer",
    sent: "integer",
    delivered: "integer",
    opened: "integer",
    clicked: "integer",
    bounced: "integer",
  },
  landingPageStats: { id: "integer", visits: "integer", formFills: "integer" },
  staticListAsset: {
    id: "integer",
    name: "string",
    "description?": "string",
    createdAt: "assetTime",
    updatedAt: "assetTime",
    folder: { id: "integer", type: "Folder|Program" },
    computedUrl: "string",
    workspace: "string",
  },
  usage: { date: "string", total: "integer", users: [{ userId: "string", count: "integer" }] },
  exportJob: {
    exportId: "string",
    format: "string",
    status: "Created|Queued|Processing|Completed|Cancelled",
    createdAt: "leadTime",
    "queuedAt?": "leadTime",
    "startedAt?": "leadTime",
    "finishedAt?": "leadTime",
    "numberOfRecords?": "integer",
    "fileSize?": "integer",
    "fileChecksum?": "string",
  },
} as const satisfies Record<string, Shape>;
