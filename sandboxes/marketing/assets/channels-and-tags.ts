import type { ApiRequest } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import type { Route } from "../gateway/router.ts";
import { assetTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import { pageByOffset, requireField } from "./asset-request.ts";
import { reads } from "./route-lines.ts";

/** Channels and tag types are made in the vendor's pages only: the API shows them. */
interface Channel {
  id: number;
  name: string;
  programType: string;
  statuses: string[];
}

const channels: Channel[] = [
  { id: 1, name: "Email Send", programType: "email", statuses: ["Member", "Sent", "Opened", "Clicked"] },
  { id: 2, name: "List Import", programType: "program", statuses: ["Member", "Imported"] },
  { id: 3, name: "Tradeshow", programType: "event", statuses: ["Invited", "Registered", "Attended"] },
  { id: 4, name: "Webinar", programType: "event", statuses: ["Invited", "Registered", "Attended"] },
  { id: 5, name: "Nurture", programType: "nurture", statuses: ["Member", "Engaged"] },
];
/** How far a member of a program can come, by the program's channel; the last one is its success. */
export const statusesOf = (channel: string): readonly string[] =>
  channels.find(({ name }) => name === channel)?.statuses ?? ["Member"];

const madeAt = Date.parse("2020-01-01T00:00:00Z");

const channelRecord = ({ id, name, programType, statuses }: Channel): object => ({
  id,
  name,
  description: `${name} channel`,
  applicableProgramType: programType,
  createdAt: assetTime(madeAt),
  updatedAt: assetTime(madeAt),
  statuses: statuses.map((status, index) => ({
    name: status,
    description: null,
    type: status.toLowerCase(),
    success: index === statuses.length - 1,
    step: index * 10,
    hidden: false,
  })),
});

const tags: [type: string, programTypes: string, required: boolean, values: string[]][] = [
  ["Region", "program, event, email", false, ["EMEA", "AMER", "APAC"]],
  ["Owner", "program, event", false, ["Field", "Digital"]],
];

const tagRecord = ([tagType, applicableProgramTypes, required, values]: (typeof tags)[number]): object => ({
  tagType,
  applicableProgramTypes,
  required,
  allowableValues: `[${values.join(", ")}]`,
});

const byName =
  <Row>(rows: readonly Row[], nameOf: (row: Row) => string, record: (row: Row) => object) =>
  (_: Context, request: ApiRequest): Reply => {
    const name = requireField(request, "name");
    return { result: rows.filter((row) => nameOf(row) === name).map(record) };
  };

export const channelAndTagRoutes: Route[] = [
  reads("channels.json", (context, request) => pageByOffset(context, request, channels, channelRecord)),
  reads(
    "channel/byName.json",
    byName(channels, ({ name }) => name, channelRecord),
  ),
  reads("tagTypes.json", (context, request) => pageByOffset(context, request, tags, tagRecord)),
  reads(
    "tagType/byName.json",
    byName(tags, ([type]) => type, tagRecord),
  ),
];
