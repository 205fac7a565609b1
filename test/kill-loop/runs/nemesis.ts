import type { FaultProxy } from "../faults/proxy.ts";
import { after } from "./any-node.ts";
import type { HeldWrites } from "./held-writes.ts";
import type { Nodes } from "./nodes.ts";
import type { WantedRun } from "./starters.ts";

/** What was done to the nodes so far. */
export interface Blows {
  kills: number;
  /** Nodes that stood still for longer than their lease. */
  freezes: number;
  /** Those among them that had noted the creation of a property and waited for its connection when they were stopped. */
  freezesWhileConnecting: number;
  /** Such writes that another node had ended when the first woke up: sent now, they would be there twice. */
  takenOver: number;
  /** Nodes that were ended in good order. */
  stops: number;
}

/** A node lives until so many runs were started, and not longer than this. */
const startsMax = 14;
const lifeMillisecondsMax = 2_000;
const freezeShare = { alone: 0.1, amongOthers: 0.5 };
const connectingShare = 0.8;
/** So long others may take at most to end what a frozen node has begun; the kills go on meanwhile. */
const takeOverMillisecondsMax = 30_000;
const stopShare = 0.03;
/** A node that was frozen is killed where it stands, or goes on. */
const killFrozenShare = 0.3;

export interface NemesisParts {
  nodes: Nodes;
  proxy: FaultProxy;
  heldWrites: HeldWrites;
  random: () => number;
  /** How many runs were acknowledged so far: on a busy machine a moment of work is longer. */
  started: () => number;
  leaseSeconds: number;
}

/** Kills, freezes and stops nodes, as the seed decides. At most one stands still at a time. */
export class Nemesis {
  readonly blows: Blows = { kills: 0, freezes: 0, freezesWhileConnecting: 0, takenOver: 0, stops: 0 };
  readonly #nodes: Nodes;
  readonly #proxy: FaultProxy;
  readonly #heldWrites: HeldWrites;
  readonly #random: () => number;
  readonly #started: () => number;
  readonly #leaseMilliseconds: number;
  #frozen: { index: number; over: Promise<void> } | null = null;

  constructor({ nodes, proxy, heldWrites, random, started, leaseSeconds }: NemesisParts) {
    this.#nodes = nodes;
    this.#proxy = proxy;
    this.#heldWrites = heldWrites;
    this.#random = random;
    this.#started = started;
    this.#leaseMilliseconds = leaseSeconds * 1000;
  }

  /** One kill, and perhaps something else with it; a freeze, where one is due. */
  async strike(isFreezeDue: boolean): Promise<void> {
    const isAlone = this.#nodes.count === 1;
    const share = isAlone ? freezeShare.alone : freezeShare.amongOthers;
    if (!this.#frozen && (this.#random() < share || isFreezeDue)) {
      const index = this.#pick();
      await this.#nodes.ready(index);
      const isConnecting = this.#random() < connectingShare;
      const isToBeKilled = this.#random() < killFrozenShare;
      await this.#freeze(index, isConnecting, isToBeKilled);
      if (isAlone) return this.end();
    }
    const index = this.#pick();
    await this.#nodes.ready(index);
    await this.#live(this.#random() ** 2 * startsMax, this.#random() * 150);
    if (this.#random() < stopShare) {
      await this.#nodes.stopAndRestart(index);
      this.blows.stops++;
    } else await this.#kill(index);
  }

  /** Once nobody stands still any more. */
  async end(): Promise<void> {
    await this.#frozen?.over;
  }

  /** Some die before they have begun; most live long enough to work, and to take over what others have left. */
  async #live(starts: number, milliseconds: number): Promise<void> {
    const enough = this.#started() + starts;
    const end = performance.now() + lifeMillisecondsMax;
    while (this.#started() < enough && performance.now() < end) await after(5);
    await after(milliseconds);
  }

  async #kill(index: number): Promise<void> {
    await this.#nodes.killAndRestart(index);
    this.blows.kills++;
  }

  /** One that does not stand still. */
  #pick(): number {
    const index = Math.floor(this.#random() * this.#nodes.count);
    return index === this.#frozen?.index && this.#nodes.count > 1 ? (index + 1) % this.#nodes.count : index;
  }

  /** Returns when the node stands still; it goes on later. */
  async #freeze(index: number, isConnecting: boolean, isToBeKilled: boolean): Promise<void> {
    if (isConnecting) await this.#proxy.hold();
    const held = isConnecting ? await this.#heldWrites.beginAt(index) : [];
    const still = this.#nodes.freeze(index);
    this.blows.freezes++;
    if (held.length > 0) this.blows.freezesWhileConnecting++;
    if (isConnecting) this.#proxy.reopen();
    const over = this.#whileStill(index, held).then(async (takenOver) => {
      if (isToBeKilled) await this.#kill(index);
      else {
        still.goOn();
        this.blows.takenOver += takenOver.length;
      }
      this.#frozen = null;
    });
    this.#frozen = { index, over };
  }

  /**
   * Longer than its lease. One that was about to write stands still until others have taken its runs over, looked for what it
   * noted, believed that it is not there, and written.
   */
  async #whileStill(index: number, held: readonly WantedRun[]): Promise<WantedRun[]> {
    await after(this.#leaseMilliseconds + 1000);
    if (held.length === 0 || this.#nodes.count === 1) return [];
    return this.#heldWrites.untilEnded(held, index, takeOverMillisecondsMax);
  }
}
