import { randomUUID } from "node:crypto";
import { invalid } from "../wire/api-error.ts";
import { accountMessage } from "../wire/more-admin-messages.ts";
import type { Message } from "../wire/proto-json.ts";
import { type AdminScope, requireAccount, requireProperty, timestamp } from "./access.ts";
import type { Account } from "./records.ts";
import { readUpdateMask } from "./update-mask.ts";

export function updateAccount(scope: AdminScope, name: string, message: Message, query: URLSearchParams): Account {
  const account = requireAccount(scope, name, "editor");
  const mask = readUpdateMask(query, ["displayName", "regionCode"], Object.keys(accountMessage.fields));
  const changes = Object.fromEntries(mask.map((field) => [field, message[field]]));
  const changed = { ...account, ...changes, updateTime: timestamp(scope.clock) };
  if (!changed.displayName) throw invalid("The field display_name is required.");
  scope.records.accounts.set(name, changed);
  return changed;
}

/** A ticket is redeemed by a person who accepts the terms in a browser; here nobody does. */
export function provisionAccountTicket({ account, redirectUri }: Message): object {
  if (account === undefined || !redirectUri) throw invalid("The fields account and redirect_uri are required.");
  return { accountTicketId: randomUUID() };
}

export function getDataSharingSettings(scope: AdminScope, account: string): object {
  requireAccount(scope, account, "viewer");
  return { name: `${account}/dataSharingSettings`, sharingWithGoogleSupportEnabled: true };
}

const terms =
  "I acknowledge that I have the necessary privacy disclosures and rights from my end users for the collection and processing of their data, including the association of such data with the visitation information Google Analytics collects from my site and/or app property.";

/** "This field must contain the exact value". */
export function acknowledgeUserDataCollection(scope: AdminScope, property: string, message: Message): object {
  requireProperty(scope, property, "editor");
  if (message.acknowledgement !== terms)
    throw invalid("The acknowledgement must contain the exact sentence of the documentation.");
  scope.records.acknowledged.add(property);
  return {};
}
