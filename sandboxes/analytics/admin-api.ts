import type { AdminScope } from "./admin/access.ts";
import { getAccessBinding, listAccessBindings } from "./admin/access-bindings.ts";
import { runAccessReport } from "./admin/access-report.ts";
import {
  acknowledgeUserDataCollection,
  getDataSharingSettings,
  provisionAccountTicket,
  updateAccount,
} from "./admin/account-changes.ts";
import { getAccount, listAccountSummaries, listAccounts } from "./admin/accounts.ts";
import { searchChangeHistory } from "./admin/change-history.ts";
import { alphaCollections, collections } from "./admin/collection-table.ts";
import { type Collection, createThing, deleteThing, getThing, listThings, updateThing } from "./admin/collections.ts";
import {
  createConversionEvent,
  deleteConversionEvent,
  getConversionEvent,
  listConversionEvents,
  updateConversionEvent,
} from "./admin/conversion-events.ts";
import {
  createDataStream,
  deleteDataStream,
  getDataStream,
  listDataStreams,
  updateDataStream,
} from "./admin/data-streams.ts";
import { createKeyEvent, deleteKeyEvent, getKeyEvent, listKeyEvents, updateKeyEvent } from "./admin/key-events.ts";
import { createProperty, deleteProperty, getProperty, listProperties, updateProperty } from "./admin/properties.ts";
import { alphaSettings, getSetting, type Setting, settings, updateSetting } from "./admin/settings.ts";
import { scopes, userScopes } from "./people/tokens.ts";
import { conversionEventMessage, dataStreamMessage, keyEventMessage, propertyMessage } from "./wire/admin-messages.ts";
import {
  accessReportMessage,
  accountMessage,
  accountTicketMessage,
  acknowledgementMessage,
  changeHistoryMessage,
} from "./wire/more-admin-messages.ts";
import { type Message, type MessageType, readMessage, toSnake } from "./wire/proto-json.ts";

/** One method of the Admin API. `resource` is the name in the path: `properties/1000`, or what the collection belongs to. */
export interface AdminMethod {
  name: string;
  isWrite: boolean;
  /** Query parameters beyond those that every method has. */
  query: readonly string[];
  /** Set if a method needs others than reads and writes do. */
  scopes?: readonly string[];
  answer(scope: AdminScope, resource: string, query: URLSearchParams, body: Buffer): object;
}

const paging = ["pageSize", "pageToken"];
const mask = ["updateMask"];

type Read = (scope: AdminScope, resource: string, query: URLSearchParams) => object;
type Write = (scope: AdminScope, resource: string, message: Message, query: URLSearchParams) => object;

const read = (name: string, query: readonly string[], answer: Read): AdminMethod => ({
  name,
  isWrite: false,
  query,
  answer,
});

/** The body is the bare resource; in what is said about it, it has the name of its field. */
const write = (
  name: string,
  type: MessageType,
  field: string,
  query: readonly string[],
  answer: Write,
): AdminMethod => ({
  name,
  isWrite: true,
  query,
  answer: (scope, resource, parameters, body) => answer(scope, resource, readMessage(type, body, field), parameters),
});

/** Sent as POST because the question is long; it changes nothing. */
const ask = (name: string, type: MessageType, answer: Write): AdminMethod => ({
  ...write(name, type, "", [], answer),
  isWrite: false,
});

const remove = (name: string, answer: Read): AdminMethod => ({ name, isWrite: true, query: [], answer });

const shapes = { property: "properties/*", "data stream": "properties/*/dataStreams/*" } as const;

function methodsOf(collection: Collection): Record<string, AdminMethod> {
  const { segment, one, under, message, methods, idParameter } = collection;
  const [list, thing] = [`${shapes[under]}/${segment}`, `${shapes[under]}/${segment}/*`];
  const field = toSnake(one).slice(1);
  const made: Record<Collection["methods"][number], [string, AdminMethod]> = {
    list: [
      `GET ${list}`,
      read(`List${one}s`, paging, (scope, parent, query) => listThings(collection, scope, parent, query)),
    ],
    get: [`GET ${thing}`, read(`Get${one}`, [], getThing)],
    create: [
      `POST ${list}`,
      write(`Create${one}`, message, field, idParameter ? [idParameter] : [], (scope, parent, body, query) =>
        createThing(collection, scope, parent, body, query),
      ),
    ],
    patch: [
      `PATCH ${thing}`,
      write(`Update${one}`, message, field, mask, (scope, name, body, query) =>
        updateThing(collection, scope, name, body, query),
      ),
    ],
    delete: [`DELETE ${thing}`, remove(`Delete${one}`, deleteThing)],
    archive: [`POST ${thing}:archive`, remove(`Archive${one}`, deleteThing)],
  };
  return Object.fromEntries(methods.map((method) => made[method]));
}

function settingMethodsOf(setting: Setting): Record<string, AdminMethod> {
  const path = `${shapes[setting.under]}/${setting.segment}`;
  const field = toSnake(setting.one).slice(1);
  return {
    [`GET ${path}`]: read(`Get${setting.one}`, [], (scope, parent) => getSetting(setting, scope, parent)),
    [`PATCH ${path}`]: write(`Update${setting.one}`, setting.message, field, mask, (scope, parent, body, query) =>
      updateSetting(setting, scope, parent, body, query),
    ),
  };
}

const tableOf = (lists: readonly Collection[], single: readonly Setting[]): Record<string, AdminMethod> =>
  Object.assign({}, ...lists.map(methodsOf), ...single.map(settingMethodsOf));

/** By HTTP method and path, ids as `*`. */
export const adminMethods: Record<string, AdminMethod> = {
  ...tableOf(collections, settings),
  "PATCH accounts/*": write("UpdateAccount", accountMessage, "account", mask, updateAccount),
  "POST accounts:provisionAccountTicket": write(
    "ProvisionAccountTicket",
    accountTicketMessage,
    "",
    [],
    (_scope, _resource, message) => provisionAccountTicket(message),
  ),
  "GET accounts/*/dataSharingSettings": read("GetDataSharingSettings", [], getDataSharingSettings),
  "POST accounts/*:runAccessReport": ask("RunAccessReport", accessReportMessage, runAccessReport),
  "POST properties/*:runAccessReport": ask("RunAccessReport", accessReportMessage, runAccessReport),
  "POST accounts/*:searchChangeHistoryEvents": {
    ...ask("SearchChangeHistoryEvents", changeHistoryMessage, searchChangeHistory),
    // The vendor asks for the editing scope, though nothing is edited.
    scopes: [scopes.edit],
  },
  "POST properties/*:acknowledgeUserDataCollection": write(
    "AcknowledgeUserDataCollection",
    acknowledgementMessage,
    "",
    [],
    acknowledgeUserDataCollection,
  ),
  "GET accounts": read("ListAccounts", [...paging, "showDeleted"], (scope, _, query) => listAccounts(scope, query)),
  "GET accounts/*": read("GetAccount", [], getAccount),
  "GET accountSummaries": read("ListAccountSummaries", paging, (scope, _, query) => listAccountSummaries(scope, query)),
  "GET properties": read("ListProperties", [...paging, "filter", "showDeleted"], (scope, _, query) =>
    listProperties(scope, query),
  ),
  "POST properties": write("CreateProperty", propertyMessage, "property", [], (scope, _, message) =>
    createProperty(scope, message),
  ),
  "GET properties/*": read("GetProperty", [], getProperty),
  "PATCH properties/*": write("UpdateProperty", propertyMessage, "property", mask, updateProperty),
  "DELETE properties/*": remove("DeleteProperty", deleteProperty),
  "GET properties/*/keyEvents": read("ListKeyEvents", paging, listKeyEvents),
  "POST properties/*/keyEvents": write("CreateKeyEvent", keyEventMessage, "key_event", [], createKeyEvent),
  "GET properties/*/keyEvents/*": read("GetKeyEvent", [], getKeyEvent),
  "PATCH properties/*/keyEvents/*": write("UpdateKeyEvent", keyEventMessage, "key_event", mask, updateKeyEvent),
  "DELETE properties/*/keyEvents/*": remove("DeleteKeyEvent", deleteKeyEvent),
  "GET properties/*/conversionEvents": read("ListConversionEvents", paging, listConversionEvents),
  "POST properties/*/conversionEvents": write(
    "CreateConversionEvent",
    conversionEventMessage,
    "conversion_event",
    [],
    createConversionEvent,
  ),
  "GET properties/*/conversionEvents/*": read("GetConversionEvent", [], getConversionEvent),
  "PATCH properties/*/conversionEvents/*": write(
    "UpdateConversionEvent",
    conversionEventMessage,
    "conversion_event",
    mask,
    updateConversionEvent,
  ),
  "DELETE properties/*/conversionEvents/*": remove("DeleteConversionEvent", deleteConversionEvent),
  "GET properties/*/dataStreams": read("ListDataStreams", paging, listDataStreams),
  "POST properties/*/dataStreams": write("CreateDataStream", dataStreamMessage, "data_stream", [], createDataStream),
  "GET properties/*/dataStreams/*": read("GetDataStream", [], getDataStream),
  "PATCH properties/*/dataStreams/*": write(
    "UpdateDataStream",
    dataStreamMessage,
    "data_stream",
    mask,
    updateDataStream,
  ),
  "DELETE properties/*/dataStreams/*": remove("DeleteDataStream", deleteDataStream),
};

const bindingScopes = { scopes: Object.values(userScopes) };

/** What v1alpha has beyond that. */
export const alphaMethods: Record<string, AdminMethod> = {
  ...tableOf(alphaCollections, alphaSettings),
  "GET accounts/*/accessBindings": { ...read("ListAccessBindings", paging, listAccessBindings), ...bindingScopes },
  "GET accounts/*/accessBindings/*": { ...read("GetAccessBinding", [], getAccessBinding), ...bindingScopes },
};
