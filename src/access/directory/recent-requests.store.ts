import type { Db } from "../../store/db.ts";

/** One request of a directory, and how it was answered. */
export interface DirectoryRequest {
  /** Begins with its time, so that it sorts. */
  id: string;
  directoryId: string;
  tokenId: string;
  method: string;
  path: string;
  status: number;
  problem: string | null;
  ip: string | null;
  at: string;
}

interface RequestRow {
  id: string;
  directory_id: string;
  token_id: string;
  method: string;
  path: string;
  status: number;
  problem: string | null;
  ip: string | null;
  at: string;
}

const toRequest = ({ directory_id: directoryId, token_id: tokenId, ...row }: RequestRow): DirectoryRequest => ({
  ...row,
  directoryId,
  tokenId,
});

export async function insertRequest(db: Db, request: DirectoryRequest): Promise<void> {
  await db.query(
    `insert into directory_requests (id, directory_id, token_id, method, path, status, problem, ip, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      request.id,
      request.directoryId,
      request.tokenId,
      request.method,
      request.path,
      request.status,
      request.problem,
      request.ip,
      request.at,
    ],
  );
}

/** Newest first, below `after` if it is given. */
export async function listRequests(
  db: Db,
  directoryId: string,
  { after, limit }: { after: string; limit: number },
): Promise<DirectoryRequest[]> {
  const rows = await db.query<RequestRow>(
    `select * from directory_requests where directory_id = $1 ${after === "" ? "" : "and id < $3"}
      order by id desc limit $2`,
    after === "" ? [directoryId, limit] : [directoryId, limit, after],
  );
  return rows.map(toRequest);
}

/** Keeps the newest of a directory. */
export async function deleteOlderRequests(db: Db, directoryId: string, kept: number): Promise<void> {
  await db.query(
    `delete from directory_requests where directory_id = $1 and id <= (
       select id from directory_requests where directory_id = $1 order by id desc limit 1 offset $2)`,
    [directoryId, kept],
  );
}
