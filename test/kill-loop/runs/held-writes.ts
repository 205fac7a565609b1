import type { FaultProxy } from "../faults/proxy.ts";
import { type AnyNode, after } from "./any-node.ts";
import type { Nodes } from "./nodes.ts";
import { type SeenStep, wasCutOff } from "./oracle.ts";
import { openStates, type Starters, type WantedRun } from "./starters.ts";

/** So many at a time: a fault may take the place of one. */
const writesAtOnce = 4;
/** A node gives up connecting after five seconds. */
const connectMillisecondsMax = 3_500;
const analyticsIndex = 2;

export interface HeldWritesParts {
  nodes: Nodes;
  proxy: FaultProxy;
  starters: Starters;
  node: AnyNode;
  random: () => number;
}

/**
 * Writes that would double if two nodes sent them: creations of properties, which the system neither refuses nor marks. They
 * begin at one node while no connection is let in, so their intents are durable and not a byte has left.
 */
export class HeldWrites {
  readonly #parts: HeldWritesParts;

  constructor(parts: HeldWritesParts) {
    this.#parts = parts;
  }

  /** Resolves with the runs that have noted their write at this node and wait for its connection; with none if it takes too long. */
  async beginAt(index: number): Promise<WantedRun[]> {
    const { nodes, proxy, starters } = this.#parts;
    const port = nodes.portOf(index);
    if (port === null) return [];
    const end = performance.now() + connectMillisecondsMax;
    const runs = await starters.startPropertiesAt(port, writesAtOnce);
    while (runs.length > 0 && performance.now() < end) {
      const connecting = proxy.connecting(nodes.pidOf(index));
      const isConnecting = connecting === null || (connecting[analyticsIndex] ?? 0) > 0;
      const noted = isConnecting ? await this.#those(runs, hasOpenWrite) : [];
      if (noted.length > 0) return noted;
      await after(10);
    }
    return [];
  }

  /** Resolves with those that have ended, which others have then worked on; all of them, unless it takes too long. */
  async untilEnded(runs: readonly WantedRun[], frozenIndex: number, milliseconds: number): Promise<WantedRun[]> {
    const frozenPort = this.#parts.nodes.portOf(frozenIndex);
    const end = performance.now() + milliseconds;
    for (;;) {
      const ended = await this.#those(runs, hasEnded, frozenPort);
      if (ended.length === runs.length || performance.now() > end) return ended;
      await after(100);
    }
  }

  async #those(
    runs: readonly WantedRun[],
    is: (run: SeenRun) => boolean,
    exceptPort: number | null = null,
  ): Promise<WantedRun[]> {
    const { nodes, node, random } = this.#parts;
    const ports = nodes.ports().filter((port) => port !== exceptPort);
    const seen = await Promise.all(runs.map(({ runId }) => node.send(`runs/${runId}/get`, {}, random, {}, ports)));
    return runs.filter((_, index) => seen[index]?.status === 200 && is(seen[index].body));
  }
}

interface SeenRun {
  status: string;
  steps: SeenStep[];
}

const hasOpenWrite = ({ steps }: SeenRun): boolean => steps.some(wasCutOff);
const hasEnded = ({ status }: SeenRun): boolean => !openStates.includes(status);
