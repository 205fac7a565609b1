import { kindOfId } from "../../kernel/ids.ts";
import type { Db } from "../../store/db.ts";
import { keepTokensLastUsed } from "../directory/tokens.ts";
import { keepLastUsed } from "./keys.ts";
import { keepLastSeen } from "./sessions.ts";

export interface LastUsed {
  /** A key, a session or a directory's token has opened a call. */
  note(id: string, at: number): void;
  /** Writes down what was noted. What could not be written is kept for the next time. */
  flush(): Promise<void>;
}

/** When whatever opens calls was last used: noted in memory and kept now and then, never a write on the way of a request. */
export function createLastUsed(db: Db): LastUsed {
  let noted = new Map<string, number>();

  async function flush(): Promise<void> {
    if (noted.size === 0) return;
    const taken = noted;
    noted = new Map();
    try {
      await db.transaction((tx) => keep(tx, taken));
    } catch (error) {
      // What came meanwhile is newer.
      noted = new Map([...taken, ...noted]);
      throw error;
    }
  }

  return { note: (id, at) => void noted.set(id, at), flush };
}

async function keep(tx: Db, taken: ReadonlyMap<string, number>): Promise<void> {
  const [keys, sessions, tokens] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
  for (const [id, at] of taken) {
    const kind = kindOfId(id);
    const list = kind === "session" ? sessions : kind === "directoryToken" ? tokens : keys;
    list.set(id, new Date(at).toISOString());
  }
  await keepLastUsed(tx, keys);
  await keepLastSeen(tx, sessions);
  await keepTokensLastUsed(tx, tokens);
}
