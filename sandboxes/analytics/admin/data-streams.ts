import { dataStreamMessage } from "../wire/admin-messages.ts";
import { invalid } from "../wire/api-error.ts";
import type { Message } from "../wire/proto-json.ts";
import { type AdminScope, alreadyExists, notFound, refuseTrashed, requireProperty, timestamp } from "./access.ts";
import { pageOf } from "./paging.ts";
import { childrenOf, type DataStream, measurementId } from "./records.ts";
import { readUpdateMask } from "./update-mask.ts";

const displayNameMax = 255;
const dataFields = {
  WEB_DATA_STREAM: "webStreamData",
  ANDROID_APP_DATA_STREAM: "androidAppStreamData",
  IOS_APP_DATA_STREAM: "iosAppStreamData",
} as const;
type StreamType = keyof typeof dataFields;

export function listDataStreams(scope: AdminScope, parent: string, query: URLSearchParams): object {
  requireProperty(scope, parent, "viewer");
  return pageOf(childrenOf(scope.records.dataStreams, parent), "dataStreams", query, parent);
}

export function getDataStream(scope: AdminScope, name: string): DataStream {
  requireProperty(scope, propertyOf(name), "viewer");
  return requireStream(scope, name);
}

/** From here on a property collects: "a data stream must be set up separately before data is collected". */
export function createDataStream(scope: AdminScope, parent: string, message: Message): DataStream {
  refuseTrashed(requireProperty(scope, parent, "editor"));
  const type = message.type as string | undefined;
  if (type === undefined || type === "DATA_STREAM_TYPE_UNSPECIFIED") throw invalid("The field type is required.");
  const given = Object.values(dataFields).find((field) => message[field] !== undefined);
  const expected = dataFields[type as StreamType];
  if (given !== expected)
    throw invalid(`A data stream of type ${type} must have ${expected} and no other stream data.`);
  const id = scope.records.nextId++;
  const now = timestamp(scope.clock);
  const stream: DataStream = {
    name: `${parent}/dataStreams/${id}`,
    type,
    ...displayName(message, type),
    createTime: now,
    updateTime: now,
    ...streamData(type as StreamType, (message[expected] ?? {}) as Message, id),
  };
  refuseTwin(scope, parent, stream);
  scope.records.dataStreams.set(stream.name, stream);
  if (!scope.records.collectsSince.has(parent)) scope.records.collectsSince.set(parent, now);
  return stream;
}

export function updateDataStream(
  scope: AdminScope,
  name: string,
  message: Message,
  query: URLSearchParams,
): DataStream {
  refuseTrashed(requireProperty(scope, propertyOf(name), "editor"));
  const stream = requireStream(scope, name);
  const field = dataFields[stream.type as StreamType];
  const mask = readUpdateMask(query, ["displayName", field], Object.keys(dataStreamMessage.fields));
  const changed: DataStream = { ...stream, updateTime: timestamp(scope.clock) };
  if (mask.includes("displayName")) {
    delete changed.displayName;
    Object.assign(changed, displayName(message, stream.type));
  }
  if (mask.includes("webStreamData") && message.webStreamData && stream.webStreamData) {
    const { measurementId: kept } = stream.webStreamData;
    changed.webStreamData = { measurementId: kept, ...defaultUri(message.webStreamData as Message) };
  }
  scope.records.dataStreams.set(name, changed);
  return changed;
}

export function deleteDataStream(scope: AdminScope, name: string): object {
  refuseTrashed(requireProperty(scope, propertyOf(name), "editor"));
  requireStream(scope, name);
  scope.records.dataStreams.delete(name);
  return {};
}

const propertyOf = (name: string): string => name.split("/").slice(0, 2).join("/");

function requireStream(scope: AdminScope, name: string): DataStream {
  const stream = scope.records.dataStreams.get(name);
  if (!stream) throw notFound();
  return stream;
}

function displayName(message: Message, type: string): { displayName?: string } {
  const name = typeof message.displayName === "string" ? message.displayName : "";
  if (name === "" && type === "WEB_DATA_STREAM")
    throw invalid("The field display_name is required for a web data stream.");
  if (name.length > displayNameMax)
    throw invalid(`The field display_name must not be longer than ${displayNameMax} characters.`);
  return name === "" ? {} : { displayName: name };
}

/** Identifiers are the service's own; those that a client sends are ignored. */
function streamData(type: StreamType, given: Message, id: number): Partial<DataStream> {
  const text = (field: string) => (typeof given[field] === "string" ? (given[field] as string) : "");
  if (type === "WEB_DATA_STREAM") {
    return { webStreamData: { measurementId: measurementId(id), ...defaultUri(given) } };
  }
  if (type === "ANDROID_APP_DATA_STREAM") {
    if (text("packageName") === "") throw invalid("The field package_name is required for an Android app data stream.");
    return { androidAppStreamData: { packageName: text("packageName") } };
  }
  if (text("bundleId") === "") throw invalid("The field bundle_id is required for an iOS app data stream.");
  return { iosAppStreamData: { bundleId: text("bundleId") } };
}

function defaultUri({ defaultUri: given }: Message): { defaultUri?: string } {
  if (typeof given !== "string" || given === "") return {};
  if (!URL.canParse(given)) throw invalid(`Invalid default_uri: ${given}.`);
  return { defaultUri: given };
}

/** One stream for each app and each website. */
function refuseTwin(scope: AdminScope, parent: string, stream: DataStream): void {
  const key = ({ webStreamData, androidAppStreamData, iosAppStreamData }: DataStream) =>
    webStreamData?.defaultUri ?? androidAppStreamData?.packageName ?? iosAppStreamData?.bundleId;
  const siblings = childrenOf(scope.records.dataStreams, parent).filter((each) => each.type === stream.type);
  if (key(stream) !== undefined && siblings.some((each) => key(each) === key(stream))) throw alreadyExists();
}
