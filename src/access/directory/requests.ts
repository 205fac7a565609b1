import { randomBase62 } from "../../kernel/random.ts";
import { isoTime } from "../../kernel/times.ts";
import type { Store } from "../../store/db.ts";
import { type DirectoryRequest, deleteOlderRequests, insertRequest } from "./requests.store.ts";

export { type DirectoryRequest, listRequests } from "./requests.store.ts";

const keptRequests = 100;
const pathCharactersMax = 300;
const problemCharactersMax = 500;
/** More than this between two flushes are not kept. */
const waitingMax = 2000;

/** The last requests of directories. They are kept in memory first, so that a request waits for no further write. */
export interface DirectoryRequests {
  record(request: Omit<DirectoryRequest, "id" | "at">, at: Date): void;
  flush(): Promise<void>;
}

export function createDirectoryRequests(store: Store): DirectoryRequests {
  let waiting: DirectoryRequest[] = [];
  let recorded = 0;
  return {
    record(request, at) {
      if (waiting.length >= waitingMax) return;
      const path = request.path.slice(0, pathCharactersMax);
      const problem = request.problem?.slice(0, problemCharactersMax) ?? null;
      // Several may come in one millisecond.
      const order = String(recorded++).padStart(9, "0");
      const id = `${at.getTime()}-${order}-${randomBase62(6)}`;
      waiting.push({ ...request, path, problem, id, at: isoTime(at) });
    },
    async flush() {
      if (waiting.length === 0) return;
      const written = waiting;
      waiting = [];
      await store.transaction(async (db) => {
        for (const request of written) await insertRequest(db, request);
        for (const directoryId of new Set(written.map((each) => each.directoryId))) {
          await deleteOlderRequests(db, directoryId, keptRequests);
        }
      });
    },
  };
}
