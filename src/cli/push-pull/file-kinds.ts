import type { Row } from "../terminal/print-table.ts";

/** What is kept in files: tools, agents and schedules. A file has what a person writes; defaults are left out. */

export type Value = Record<string, unknown>;

export interface Kind {
  folder: "tools" | "agents" | "schedules";
  listPath: string;
  idName: string;
  /** What people call it: it makes the name of a new file, and finds its record in a project that never saw the file. */
  titleOf(value: Value): string;
  /** `toolFile` finds the file of a tool by its id. */
  fromServer(record: Row, toolFile: (id: string) => string | undefined): Value;
  /** `toolId` finds the tool of a file. */
  toServer(value: Value, toolId: (file: string) => string): Value;
}

const toolMembers = ["title", "description", "params_schema", "steps", "output"];
const agentDefaults: Value = {
  instructions: "",
  tools: [],
  steps: [],
  model: null,
  approval: "writes",
  rules: [],
  max_turns: 20,
  max_tokens: 500_000,
  max_minutes: 60,
  webhook_signature: "required",
};
const scheduleDefaults: Value = { time_zone: "UTC", misfire: "skip", params: {}, enabled: true };

const tools: Kind = {
  folder: "tools",
  listPath: "/latest/tools/list",
  idName: "tool_id",
  titleOf: ({ title }) => String(title ?? ""),
  fromServer: (record) => plainTool(some(record, toolMembers)),
  toServer: (value) => value,
};

/** As the server reads it: it fills in these two. */
const plainTool = (value: Value): Value => ({
  ...without(value, { params_schema: { type: "object" }, description: null }),
  ...(Array.isArray(value.steps) ? { steps: value.steps.map((step) => without(step as Value, { input: {} })) } : {}),
});

const agents: Kind = {
  folder: "agents",
  listPath: "/latest/agents/list",
  idName: "agent_id",
  titleOf: ({ name }) => String(name ?? ""),
  fromServer: (record, toolFile) => {
    const value = without(some(record, ["name", ...Object.keys(agentDefaults)]), agentDefaults);
    return {
      ...value,
      ...(Array.isArray(value.tools) ? { tools: value.tools.map((id) => toolFile(String(id)) ?? id) } : {}),
      ...(Array.isArray(value.rules) ? { rules: value.rules.map((rule) => namedTool(rule as Value, toolFile)) } : {}),
    };
  },
  toServer: (value, toolId) => {
    const whole = { ...agentDefaults, ...value };
    return {
      ...whole,
      tools: (whole.tools as unknown[]).map((name) => toolId(String(name))),
      rules: (whole.rules as Value[]).map((rule) => numberedTool(rule, toolId)),
    };
  },
};

const schedules: Kind = {
  folder: "schedules",
  listPath: "/latest/schedules/list",
  idName: "schedule_id",
  titleOf: ({ tool, cron, time_zone: zone = "UTC" }) => `${tool} ${cron} ${zone}`,
  fromServer: (record, toolFile) =>
    namedTool(without(some(record, ["tool_id", "cron", ...Object.keys(scheduleDefaults)]), scheduleDefaults), toolFile),
  toServer: (value, toolId) => numberedTool({ ...scheduleDefaults, ...value }, toolId),
};

/** In the order in which they need each other. */
export const kinds: readonly Kind[] = [tools, agents, schedules];

/** What a person wrote, without what would be the same anyway. */
export function plainValue({ folder }: Kind, value: Value): Value {
  if (folder === "tools") return plainTool(value);
  return without(value, folder === "agents" ? agentDefaults : scheduleDefaults);
}

const some = (record: Row, names: readonly string[]): Value =>
  Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]));

const without = (value: Value, defaults: Value): Value =>
  Object.fromEntries(
    Object.entries(value).filter(([name, member]) => !(name in defaults && sameValue(member, defaults[name]))),
  );

/** `tool: redeploy` instead of `tool_id: tol_…`: ids differ between projects. */
function namedTool(value: Value, toolFile: (id: string) => string | undefined): Value {
  const file = toolFile(String(value.tool_id));
  return file === undefined ? value : renamed(value, "tool_id", "tool", file);
}

const numberedTool = (value: Value, toolId: (file: string) => string): Value =>
  value.tool === undefined ? value : renamed(value, "tool", "tool_id", toolId(String(value.tool)));

/** In the same place: a person put it there. */
const renamed = (value: Value, from: string, to: string, member: string): Value =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => (name === from ? [to, member] : [name, each])));

/** The same text for the same value, whatever the order of its members. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

export const sameValue = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);
