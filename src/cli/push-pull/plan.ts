import { type Kind, sameValue, type Value } from "./file-kinds.ts";
import { hashOf, type Lock } from "./local-folder.ts";

/** What `push` and `pull` would do. Pure: it reads nothing and changes nothing. */

export interface LocalFile {
  kind: Kind;
  value: Value;
}

export interface ServerRecord extends LocalFile {
  id: string;
  basis: Basis;
}

/** What the server had when the plan was made: a change is refused if it has something else by then. */
export type Basis = { revision?: number; if_updated_at?: string };

export interface Change {
  file: string;
  kind: Kind;
  action: "create" | "update" | "delete" | "none";
  /** The other side was changed since both were the same: applying the change loses that. */
  drift: boolean;
  id: string | null;
  basis: Basis;
  local: Value | null;
  server: Value | null;
}

export interface Plan {
  changes: Change[];
  /** Records of the server that have no file. */
  unmanaged: { file: string; id: string }[];
}

interface Sides {
  files: ReadonlyMap<string, LocalFile>;
  /** By the file that they have, or would have. */
  records: ReadonlyMap<string, ServerRecord>;
  lock: Lock;
}

export function planPush({ files, records, lock }: Sides, deletes: boolean): Plan {
  const changes = [...files].map(([file, { kind, value }]): Change => {
    const record = records.get(file) ?? null;
    const synced = lock.get(file);
    const isGone = record === null && synced !== undefined;
    const drift = isGone || (record !== null && synced !== undefined && hashOf(record.value) !== synced.server);
    const isFileOld = synced !== undefined && hashOf(value) === synced.file;
    const isSame = record !== null && (sameValue(value, record.value) || (isFileOld && !drift));
    return {
      file,
      kind,
      action: record === null ? "create" : isSame ? "none" : "update",
      drift: drift && !isSame,
      id: record?.id ?? null,
      basis: record?.basis ?? {},
      local: value,
      server: record?.value ?? null,
    };
  });
  const without = [...records].filter(([file]) => !files.has(file));
  const removed = without.filter(([file]) => deletes && lock.has(file));
  for (const [file, { kind, id, basis, value }] of removed.reverse()) {
    const drift = hashOf(value) !== lock.get(file)?.server;
    changes.push({ file, kind, action: "delete", drift, id, basis, local: null, server: value });
  }
  const unmanaged = without.filter((each) => !removed.includes(each)).map(([file, { id }]) => ({ file, id }));
  return { changes, unmanaged };
}

export function planPull({ files, records, lock }: Sides): Plan {
  const changes = [...records].map(([file, { kind, id, basis, value }]): Change => {
    const local = files.get(file)?.value ?? null;
    const synced = lock.get(file);
    const isServerOld = synced !== undefined && hashOf(value) === synced.server;
    const drift = local !== null && (synced === undefined || hashOf(local) !== synced.file);
    const isSame = local !== null && (sameValue(local, value) || (isServerOld && !drift));
    const action = local === null ? "create" : isSame ? "none" : "update";
    return { file, kind, action, drift: drift && !isSame, id, basis, local, server: value };
  });
  for (const [file, { kind, value }] of files) {
    const synced = lock.get(file);
    // A file that no server has seen is new, and stays.
    if (records.has(file) || !synced) continue;
    const drift = hashOf(value) !== synced.file;
    changes.push({ file, kind, action: "delete", drift, id: synced.id, basis: {}, local: value, server: null });
  }
  return { changes, unmanaged: [] };
}
