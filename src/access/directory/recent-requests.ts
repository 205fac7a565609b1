import { randomBase62 } from "../../kernel/random.ts";
import { isoTime } from "../../kernel/times.ts";
import type { Store } from "../../store/db.ts";
import { type DirectoryRequest, deleteOlderRequests, insertRequest } from "./recent-requests.store.ts";

export { type DirectoryRequest, listRequests } from "./recent-requests.store.ts";

const keptRequests = 100;
const pathCharactersMax = 300;
const problemCharactersMax = 500;

/** The last requests of directories. They are kept in memory first, so that a request waits for no further write. */
export interface DirectoryRequests {
  record(request: Omit<DirectoryRequest, "id" | "at">, at: Date): void;
  flush(): Promise<void>;
}

export function createDirectoryRequests(store: Store): DirectoryRequests {
  let waiting = new Map<string, DirectoryRequest[]>();
  let recorded = 0;
  return {
    record(request, at) {
      const path = request.path.slice(0, pathCharactersMax);
      const problem = request.problem?.slice(0, problemCharactersMax) ?? null;
      // Several may come in one millisecond.
      const order = String(recorded++).padStart(9, "0");
      const id = `${at.getTime()}-${order}-${randomBase62(6)}`;
      const here = waiting.get(request.directoryId) ?? [];
      here.push({ ...request, path, problem, id, at: isoTime(at) });
      if (here.length > keptRequests) here.shift();
      waiting.set(request.directoryId, here);
    },
    async flush() {
      if (waiting.size === 0) return;
      const written = waiting;
      waiting = new Map();
      await store.transaction(async (db) => {
        for (const [directoryId, requests] of written) {
          for (const request of requests) await insertRequest(db, request);
          await deleteOlderRequests(db, directoryId, keptRequests);
        }
      });
    },
  };
}
