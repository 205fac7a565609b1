import type { AdminScope } from "./admin/access.ts";
import { getAccount, listAccountSummaries, listAccounts } from "./admin/accounts.ts";
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
import { conversionEventMessage, dataStreamMessage, keyEventMessage, propertyMessage } from "./wire/admin-messages.ts";
import { type Message, type MessageType, readMessage } from "./wire/proto-json.ts";

/** One method of the Admin API. `resource` is the name in the path: `properties/1000`, or what the collection belongs to. */
export interface AdminMethod {
  name: string;
  isWrite: boolean;
  /** Query parameters beyond those that every method has. */
  query: readonly string[];
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

const remove = (name: string, answer: Read): AdminMethod => ({ name, isWrite: true, query: [], answer });

/** By HTTP method and path, ids as `*`. */
export const adminMethods: Record<string, AdminMethod> = {
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
