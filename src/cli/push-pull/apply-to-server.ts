import { toYaml } from "../../untrusted/yaml.ts";
import { readPage } from "../calling/all-pages.ts";
import type { Caller } from "../calling/caller.ts";
import { CommandRefused, exitCodes } from "../exit-codes.ts";
import type { Row } from "../terminal/print-table.ts";
import { type Kind, kinds, type Value } from "./file-kinds.ts";
import type { Lock } from "./local-folder.ts";
import type { Basis, Change, LocalFile, ServerRecord } from "./plan.ts";

/** The project's tools, agents and schedules, each by the file that it has or would have. */
export async function readServer(
  caller: Caller,
  files: ReadonlyMap<string, LocalFile>,
  lock: Lock,
): Promise<Map<string, ServerRecord>> {
  const records = new Map<string, ServerRecord>();
  const fileOfTool = new Map<string, string>();
  const toolFile = (id: string): string | undefined => fileOfTool.get(id)?.replace(/^tools\/|\.ya?ml$/g, "");
  for (const kind of kinds) {
    const values = (await allOf(caller, kind)).map((record) => ({
      id: String(record[kind.idName]),
      basis: basisOf(record),
      kind,
      value: kind.fromServer(record, toolFile),
    }));
    for (const record of values) {
      const file = fileFor(record, values, { files, lock, taken: records });
      records.set(file, record);
      if (kind.folder === "tools") fileOfTool.set(record.id, file);
    }
  }
  return records;
}

/** Tools have a number for each change, agents and schedules its time. */
const basisOf = ({ revision, updated_at: updatedAt }: Row): Basis =>
  typeof revision === "number" ? { revision } : typeof updatedAt === "string" ? { if_updated_at: updatedAt } : {};

async function allOf(caller: Caller, { listPath }: Kind): Promise<Row[]> {
  const all: Row[] = [];
  let after: string | null = null;
  do {
    const page = await readPage(caller, { path: listPath as `/latest/${string}` }, { limit: 100, after });
    all.push(...page.results);
    after = page.next;
  } while (after !== null);
  return all;
}

/** The file that the lock names; else one with the same title that no other record has; else a new one. */
function fileFor(
  { id, kind, value }: ServerRecord,
  all: readonly ServerRecord[],
  known: { files: ReadonlyMap<string, LocalFile>; lock: Lock; taken: ReadonlyMap<string, ServerRecord> },
): string {
  const locked = [...known.lock].find(([, synced]) => synced.id === id)?.[0];
  if (locked !== undefined) return locked;
  const ids = new Set(all.map((each) => each.id));
  const isFree = (file: string) => !known.taken.has(file) && !ids.has(known.lock.get(file)?.id ?? "");
  const title = kind.titleOf(value);
  for (const [file, other] of known.files) {
    if (other.kind === kind && isFree(file) && kind.titleOf(other.value) === title) return file;
  }
  const name = nameOf(title);
  for (let count = 1; ; count++) {
    const file = `${kind.folder}/${name}${count === 1 ? "" : `-${count}`}.yaml`;
    if (isFree(file) && !known.files.has(file)) return file;
  }
}

const nameOf = (title: string): string =>
  title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60) || "unnamed";

export interface PushOptions {
  connections: Record<string, unknown>;
  publish: boolean;
  note: string;
}

/** Applies one change. `toolIds` has the tools by the names of their files, and learns new ones. */
export async function applyChange(
  caller: Caller,
  change: Change,
  toolIds: Map<string, string>,
  options: PushOptions,
): Promise<void> {
  const { kind, file, id, action, local, basis } = change;
  const group = kind.folder;
  if (action === "delete") {
    await caller.call(`/latest/${group}/{${kind.idName}}/delete`, { [kind.idName]: id });
    return;
  }
  if (local === null) return;
  if (group === "tools") {
    const toolId = await saveTool(caller, change, local, options);
    toolIds.set(nameOfFile(file), toolId);
    return;
  }
  const body = kind.toServer(withConnections(local, options.connections), (name) => toolIdOf(name, toolIds, file));
  if (action === "create") await caller.call(`/latest/${group}/create`, body);
  else {
    const given = { ...withoutTool(kind, body), ...basis, [kind.idName]: id };
    await caller.call(`/latest/${group}/{${kind.idName}}/update`, given);
  }
}

async function saveTool(caller: Caller, { id, basis }: Change, value: Value, options: PushOptions): Promise<string> {
  const saved = await caller.call("/latest/tools/import", {
    yaml: toYaml(value),
    connections: options.connections,
    ...(id === null ? {} : { tool_id: id, ...basis }),
  });
  const toolId = String(saved.tool_id);
  if (options.publish) await caller.call("/latest/tools/{tool_id}/publish", { tool_id: toolId, note: options.note });
  return toolId;
}

/** The tool of a schedule never changes. */
const withoutTool = (kind: Kind, { tool_id: toolId, ...rest }: Value): Value =>
  kind.folder === "schedules" ? rest : { ...rest, ...(toolId === undefined ? {} : { tool_id: toolId }) };

export const nameOfFile = (file: string): string => file.replace(/^\w+\/|\.ya?ml$/g, "");

function toolIdOf(name: string, toolIds: ReadonlyMap<string, string>, file: string): string {
  const id = toolIds.get(name) ?? (/^tol_/.test(name) ? name : undefined);
  if (id === undefined)
    throw new CommandRefused(
      `${file} names the tool "${name}", and there is no tools/${name}.yaml.`,
      exitCodes.refused,
    );
  return id;
}

/** The ids of connections differ between projects. */
function withConnections(value: Value, connections: Record<string, unknown>): Value {
  const steps = Array.isArray(value.steps) ? value.steps : [];
  if (steps.length === 0 || Object.keys(connections).length === 0) return value;
  const replaced = steps.map((step: unknown) => {
    const id = typeof step === "object" && step !== null ? (step as Value).connection_id : undefined;
    return typeof id === "string" && id in connections ? { ...(step as Value), connection_id: connections[id] } : step;
  });
  return { ...value, steps: replaced };
}
