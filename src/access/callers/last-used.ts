import { kindOfId } from "../../kernel/ids.ts";
import type { Db } from "../../store/db.ts";
import { saveTokensLastUsed } from "../directory/scim-tokens.ts";
import { saveLastUsed } from "./keys.ts";
import { saveLastSeen } from "./sessions.ts";

export interface LastUsed {
  /** Records that a key, a session or a directory's token was used. */
  record(id: string, at: number): void;
  /** Writes the recorded times. After a failed write they stay for the next flush. */
  flush(): Promise<void>;
}

/**
 * Records when credentials were last used. It collects times in memory and writes them in batches, so that no request
 * waits for a write.
 */
export function createLastUsed(db: Db): LastUsed {
  let recorded = new Map<string, number>();

  async function flush(): Promise<void> {
    if (recorded.size === 0) return;
    const taken = recorded;
    recorded = new Map();
    try {
      await db.transaction((tx) => keep(tx, taken));
    } catch (error) {
      // Times recorded in the meantime are newer.
      recorded = new Map([...taken, ...recorded]);
      throw error;
    }
  }

  return { record: (id, at) => void recorded.set(id, at), flush };
}

async function keep(tx: Db, taken: ReadonlyMap<string, number>): Promise<void> {
  const [keys, sessions, tokens] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
  for (const [id, at] of taken) {
    const kind = kindOfId(id);
    const list = kind === "session" ? sessions : kind === "directoryToken" ? tokens : keys;
    list.set(id, new Date(at).toISOString());
  }
  await saveLastUsed(tx, keys);
  await saveLastSeen(tx, sessions);
  await saveTokensLastUsed(tx, tokens);
}
