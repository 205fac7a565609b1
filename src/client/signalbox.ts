import { type Call, type CallerOptions, createCaller } from "./caller.ts";
import { followRun } from "./follow-run.ts";
import type { Groups } from "./method-types.ts";
import { pathOf } from "./operation-path.ts";
import type { CallOptions, SignalboxOptions } from "./options.ts";
import { listed } from "./pages.ts";
import type { Path } from "./wire.ts";

export type Signalbox = Groups & {
  /** The same account in another project. */
  inProject(projectId: string): Signalbox;
};

/** A client of one region. Every operation is a method: its path says the name. */
export const Signalbox = function Signalbox(options: SignalboxOptions): Signalbox {
  const { apiKey, projectId = "", timeoutMs } = options;
  if (!options.baseUrl || !apiKey) throw new TypeError("Signalbox needs `baseUrl` and `apiKey`.");
  const authorization = `Bearer ${projectId}:${apiKey}`;
  const connection: CallerOptions = {
    baseUrl: options.baseUrl.replace(/\/+$/, ""),
    headers: () => ({ authorization }),
    ...(options.fetch && { fetch: options.fetch }),
  };
  const onMoved = (baseUrl: string) => {
    connection.baseUrl = baseUrl;
  };
  const caller = createCaller({ ...connection, followsRegion: true, onMoved });
  const call: Call = (path, input, given) =>
    caller(path, input, { ...(timeoutMs !== undefined && { timeoutMs }), ...given });
  const own: Record<string, unknown> = {
    inProject: (id: string) => Signalbox({ ...options, projectId: id }),
    "runs.follow": (runId: string, { signal }: CallOptions = {}) => followRun(call, connection, runId, signal),
  };
  return groupAt([], call, own) as Signalbox;
} as unknown as { new (options: SignalboxOptions): Signalbox; (options: SignalboxOptions): Signalbox };

/** Read by the language itself, and never an operation's name. */
const isReserved = (name: string | symbol): name is symbol =>
  typeof name === "symbol" || name === "then" || name === "toJSON";

/** A group and a method at once: `runs`, `runs.list`. */
function groupAt(names: readonly string[], call: Call, own: Record<string, unknown>): unknown {
  const method = (...values: unknown[]) => callAt(names, values, call);
  return new Proxy(names.length === 0 ? {} : method, {
    get(_, name) {
      if (isReserved(name)) return undefined;
      const path = [...names, name];
      return own[path.join(".")] ?? groupAt(path, call, own);
    },
  });
}

/** Leading texts are the ids of the path; then come the input and the options. */
function callAt(names: readonly string[], values: unknown[], call: Call): unknown {
  const first = values.findIndex((value) => typeof value !== "string");
  const idCount = first < 0 ? values.length : first;
  const ids = values.slice(0, idCount) as string[];
  const [input = {}, options = {}] = values.slice(idCount) as [object?, CallOptions?];
  const path = pathOf(names, idCount).replaceAll("{}", () => encodeURIComponent(ids.shift() ?? ""));
  return listed((page) => call(path as Path, { ...input, ...page } as never, options));
}
