import type { Route } from "../gateway/router.ts";

/** A line of the Asset API for each kind of permission. */
export const reads = (path: string, run: Route["run"]): Route => ({
  method: "GET",
  path: `/rest/asset/v1/${path}`,
  needs: "Read-Only Assets",
  run,
});
export const writes = (path: string, run: Route["run"]): Route => ({
  method: "POST",
  path: `/rest/asset/v1/${path}`,
  needs: "Read-Write Assets",
  run,
});
export const approves = (path: string, run: Route["run"]): Route => ({ ...writes(path, run), needs: "Approve Assets" });
