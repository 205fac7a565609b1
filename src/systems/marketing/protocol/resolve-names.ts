import type { Resource } from "../../define.ts";
import { send, type Work } from "../../work.ts";
import { buildRequest } from "./build-request.ts";
import { isRecord } from "./endpoints.ts";
import { rowsOf } from "./rows.ts";

const folders: Partial<Record<Resource["kind"], string>> = { list: "lists", campaign: "campaigns" };

/** A list or a campaign under its id and its name. */
export function* resolve(resource: Resource): Work<Resource[]> {
  const folder = folders[resource.kind];
  if (folder === undefined) return [resource];
  const target = { path: `/rest/v1/${folder}/${resource.id}.json`, query: {} };
  const { body } = yield* send(buildRequest({ method: "GET", target }));
  const [row] = rowsOf(body);
  const name = isRecord(row) && typeof row.name === "string" ? row.name : null;
  const same = `${resource.kind} ${resource.id}`;
  return [resource.id, name].filter((id) => id !== null).map((id) => ({ kind: resource.kind, id, same }));
}
