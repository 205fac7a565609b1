import { specTypeSchemas } from "@modelcontextprotocol/server";
import { templates } from "../../../src/mcp/resources.ts";
import { findStep } from "../../../src/systems/index.ts";
import { sourcesIn } from "../../support/source/source-files.ts";
import type { Put } from "./foreign-or-absent.ts";
import type { AssistantTenant, AssistantTenants, McpRequest } from "./mcp-tenants.ts";

/** What an assistant asks of MCP with ids of another organization, generated from the protocol, the tools and the templates. */

type Message = NonNullable<McpRequest["message"]>;

/** One place of one message that another organization's id or name is put into. */
export interface McpQuestion {
  title: string;
  message(put: Put): Message;
  /** The session of a client, which is a name that anybody may send. */
  session?(put: Put): string;
}

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  inputSchema: { properties: Record<string, { type?: unknown }> };
}

export interface AssistantWorld extends AssistantTenants {
  tools: ListedTool[];
  /** A call of theirs that waits for the answer of a person: its session, its id, and its run. */
  call: { session: string; id: number; runId: string };
}

/** Every method of the protocol in any revision, as its library knows them, and those that our own code names. */
export const methods: readonly string[] = [
  ...new Set([
    ...Object.values(specTypeSchemas).flatMap((schema) => methodOf(schema) ?? []),
    ...sourcesIn("src/mcp").flatMap(({ code }) =>
      [...code.matchAll(/set(?:Request|Notification)Handler\(\s*"([^"]+)"/g)].map(([, name = ""]) => name),
    ),
  ]),
];

/** The library's schemas of messages are objects of Zod with one literal as their method. */
function methodOf(schema: unknown): string | undefined {
  const { shape } = schema as { shape?: { method?: { value?: unknown } } };
  const name = shape?.method?.value;
  return typeof name === "string" ? name : undefined;
}

const isNotification = (method: string): boolean => method.startsWith("notifications/");
export const requestMethods = methods.filter((method) => !isNotification(method));

const runsOf = ({ theirs, call }: AssistantWorld): string[] => [...Object.values(theirs.runs), call.runId];

const idsOf = (world: AssistantWorld): string[] => [
  ...runsOf(world),
  ...world.theirs.connections,
  ...Object.values(world.theirs.tools).map(({ id }) => id),
  world.theirs.team.projectId,
];

type Asked = [what: string, params: (put: Put) => Record<string, unknown>][];

const pages = (world: AssistantWorld): Asked => [
  ["the whole list", () => ({})],
  ...idsOf(world).map((id): Asked[number] => [`the list behind ${id}`, (put) => ({ cursor: put(id) })]),
];

const uris = (world: AssistantWorld): Asked =>
  templates.flatMap(({ uriTemplate }) =>
    runsOf(world).map((id): Asked[number] => [
      `${uriTemplate} of ${id}`,
      (put) => ({ uri: uriTemplate.replace("{run_id}", put(id)) }),
    ]),
  );

/** What each method that the server answers takes. A method that is missing here fails the test. */
export const asked: Readonly<Record<string, (world: AssistantWorld) => Asked>> = {
  initialize: () => [
    [
      "a greeting",
      () => ({ protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }),
    ],
  ],
  ping: () => [["nothing", () => ({})]],
  "server/discover": () => [["nothing", () => ({})]],
  "tools/list": pages,
  "tools/call": calls,
  "resources/list": pages,
  "resources/templates/list": pages,
  "resources/read": uris,
  "subscriptions/listen": (world) =>
    uris(world).map(([what, params]) => [
      what,
      (put) => ({ notifications: { toolsListChanged: true, resourceSubscriptions: [params(put).uri] } }),
    ]),
};

/** Every tool of one's own with ids of theirs, their tools, their runs that wait for an answer, and their idempotency key. */
function calls(world: AssistantWorld): Asked {
  const { own, theirs, tools } = world;
  const [connection = ""] = theirs.connections;
  const inputOf = (name: string) => findStep(name)?.examples[0]?.input ?? {};
  const withInput = (name: string, member: string, id: string): Asked[number] => [
    `${name} with ${id} as ${member}`,
    (put) => ({ name, arguments: { ...inputOf(name), [member]: put(id) } }),
  ];
  const inTools = tools.flatMap(({ name, inputSchema: { properties } }) => [
    ...theirs.connections.map((id) => withInput(name, "connection_id", id)),
    ...Object.keys(properties)
      .filter((member) => member !== "connection_id" && properties[member]?.type === "string")
      .map((member) => withInput(name, member, connection)),
  ]);
  const named = Object.values(theirs.tools).flatMap(({ id, name }) =>
    [id, ...(name === own.tools.sameName.name ? [] : [name])].map((text): Asked[number] => [
      `their tool ${text}`,
      (put) => ({ name: put(text), arguments: {} }),
    ]),
  );
  const approval = { inputResponses: { approval: { action: "accept", content: { approved: true } } } };
  const approved = runsOf(world).flatMap(
    (runId): Asked => [
      [
        `an approval of ${runId} through one's own tool`,
        (put) => ({ name: own.tools.asks.name, arguments: {}, requestState: `${put(runId)}/ask`, ...approval }),
      ],
      [
        `an approval of ${runId} through their tool`,
        (put) => ({ name: put(theirs.tools.asks.name), requestState: `${put(runId)}/ask`, ...approval }),
      ],
    ],
  );
  const key = (put: Put) => ({ "signalbox/idempotency-key": put(theirsOnce) });
  const repeated = repeatedByThem(own).map((name): Asked[number] => [
    `${name} with their idempotency key`,
    (put) => ({ name, arguments: inputOf(name), _meta: key(put) }),
  ]);
  return [...inTools, ...named, ...approved, ...repeated];
}

/** An idempotency key that they have used, with a step and with a tool that both organizations call by the same name. */
export const theirsOnce = "their-key-7777";
export const repeatedByThem = ({ tools }: Pick<AssistantTenant, "tools">): string[] => [
  "list_deployments",
  tools.sameName.name,
];

/** Every request of every method that the server answers. */
export const questionsOf = (world: AssistantWorld): McpQuestion[] =>
  Object.entries(asked).flatMap(([method, of]) =>
    of(world).map(([what, params]) => ({
      title: `${method}, ${what}`,
      message: (put: Put) => ({ id: 7, method, params: params(put) }),
    })),
  );

/** Messages that get no response of their own: answers to a question that they were asked, and notifications about their call. */
export function messagesOf({ own, theirs, call }: AssistantWorld): McpQuestion[] {
  const session = (put: Put) => put(call.session);
  const questionId = (tool: string, put: Put) => `approve/${tool}/${put(call.runId)}/ask`;
  const results = [{ action: "accept", content: { approved: true } }, { action: "decline" }, { action: "cancel" }];
  const answers = results.flatMap((result): McpQuestion[] => [
    {
      title: `the answer ${result.action} for their tool`,
      message: (put) => ({ id: questionId(put(theirs.tools.asks.name), put), result }),
      session,
    },
    {
      title: `the answer ${result.action} for one's own tool`,
      message: (put) => ({ id: questionId(own.tools.asks.name, put), result }),
      session,
    },
  ]);
  const notifications = methods.filter(isNotification).flatMap((method) =>
    [call.id, "the question"].map(
      (about): McpQuestion => ({
        title: `${method} about ${about}`,
        message: (put) => {
          const requestId = about === call.id ? about : questionId(put(theirs.tools.asks.name), put);
          const uri = `signalbox://runs/${put(call.runId)}`;
          return { method, params: { requestId, uri, taskId: put(call.runId), progressToken: about, progress: 1 } };
        },
        session,
      }),
    ),
  );
  return [...answers, ...notifications];
}
