import type { OutputOf, RecordOf } from "../../../../client/wire.ts";

export type Directory = RecordOf<"/latest/directory/list">;
export type DirectoryToken = OutputOf<"/latest/directory/{directory_id}/get">["tokens"][number];

/** What a change of a directory makes stale. */
export const directoryReads = ["/latest/directory/list", "/latest/directory/{directory_id}/get"] as const;
