/** What one node tells the others: that there is work of this kind in the store. */
export type Signal = "runs" | "deliveries" | "events";

/**
 * Wakes the workers of other nodes. A lost signal costs time and nothing else: every worker also polls. Nodes that share an SQLite
 * file do not exist, so there the signals go nowhere.
 */
export interface Signals {
  /** Signals of one kind that are sent within a moment become one. */
  send(signal: Signal): void;
  close(): Promise<void>;
}

export const noSignals: Signals = { send: () => {}, close: async () => {} };
