import type { ServedSandbox } from "../../sandboxes/server/serve-sandbox.ts";

/** A client of a vendor that is too large for `npm test`. `npm run clients` installs it and runs its calls against the sandbox. */
export interface Client {
  /** As in `npm run clients -- <name>`. */
  name: string;
  title: string;
  /** Exact versions, or a commit of a repository, installed into a folder of their own. */
  packages: Readonly<Record<string, string>>;
  from: "npm" | "PyPI";
  /** Other versions of what these packages need, for npm. */
  overrides?: Readonly<Record<string, string>>;
  sandbox: "marketing" | "deployment" | "analytics";
  /** Calls that the sandbox leaves out on purpose, with the reason. They are not counted as passed. */
  leftOut: Readonly<Record<string, string>>;
  calls(world: ClientWorld): AsyncIterable<Call>;
}

export interface ClientWorld {
  /** The folder with `node_modules`, or with the virtual environment of Python. */
  folder: string;
  served: ServedSandbox;
  // biome-ignore lint/suspicious/noExplicitAny: the sandbox lists what each client needs.
  credentials: any;
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  ids: any;
}

export interface Call {
  name: string;
  /** Throws what went wrong. */
  send(): Promise<unknown>;
}

/** Calls of a client, one after the other: a later one may use what an earlier one has returned. */
export type Step = readonly [name: string, send: () => Promise<unknown>];

export async function* inOrder(steps: readonly Step[]): AsyncIterable<Call> {
  for (const [name, send] of steps) yield { name, send };
}
