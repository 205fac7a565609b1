/** What an API user's role may hold, as far as the calls here ask for it. */
export type Permission =
  | "Read-Only Lead"
  | "Read-Write Lead"
  | "Read-Only Activity"
  | "Read-Write Activity"
  | "Read-Only Activity Metadata"
  | "Read-Write Activity Metadata"
  | "Read-Only Campaigns"
  | "Execute Campaign"
  | "Read-Only Assets"
  | "Read-Write Assets"
  | "Approve Assets";

/** A custom service: its credentials, the API-only user that owns it, and that user's permissions. */
export interface Client {
  id: string;
  secret: string;
  user: string;
  permissions: ReadonlySet<Permission>;
}

const reading: Permission[] = [
  "Read-Only Lead",
  "Read-Only Activity",
  "Read-Only Activity Metadata",
  "Read-Only Campaigns",
  "Read-Only Assets",
];
const writing: Permission[] = [
  "Read-Write Lead",
  "Read-Write Activity",
  "Read-Write Activity Metadata",
  "Execute Campaign",
  "Read-Write Assets",
  "Approve Assets",
];

/** The owner of the instance: may do everything. */
export const fullClient: Client = {
  id: "4d2a7c10-5b3e-4f7a-9c64-1e8f0b6d2a35",
  secret: "sandboxMarketingSecret0000000001",
  user: "api-user@example.com",
  permissions: new Set([...reading, ...writing]),
};

/** May read everything and change nothing: its writes answer 603. */
export const readOnlyClient: Client = {
  id: "9b6e3f82-0c1d-4a58-8e27-7d4c5a9b1f60",
  secret: "sandboxMarketingSecret0000000002",
  user: "read-only-user@example.com",
  permissions: new Set(reading),
};

/** Its user's role holds nothing: it gets tokens, and every call answers 603. */
export const powerlessClient: Client = {
  id: "2f8c5d47-6a90-4be3-b1d8-3c7e9f04a612",
  secret: "sandboxMarketingSecret0000000003",
  user: "powerless-user@example.com",
  permissions: new Set(),
};

export const clients = new Map([fullClient, readOnlyClient, powerlessClient].map((client) => [client.id, client]));
