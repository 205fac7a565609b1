import type { Option, OptionSource } from "../../define.ts";
import { pageRowsIn } from "../../read-pages.ts";
import { send, type Work } from "../../work.ts";
import { buildRequest } from "../protocol/build-request.ts";
import { insteadOfUnpublished, isRecord } from "../protocol/endpoints.ts";
import { tokenIn } from "../protocol/paging.ts";
import { rowsOf } from "../protocol/rows.ts";
import { knownEndpoints } from "./known-endpoints.ts";

interface Kind {
  /** The prefix of endpoints for this kind. */
  begins: string;
  list: string;
  /** Programs are paged by offset, lists and campaigns by token. */
  isAsset?: true;
}

const kinds: readonly Kind[] = [
  { begins: "/rest/v1/lists/", list: "/rest/v1/lists.json" },
  { begins: "/rest/v1/campaigns/", list: "/rest/v1/campaigns.json" },
  { begins: "/rest/asset/v1/program/", list: "/rest/asset/v1/programs.json", isAsset: true },
];
const pageRows = 100;
const charactersMax = 200;

/** Known endpoints first; once the query names a list, a campaign or a program, the account's own. */
export const endpointOptions: OptionSource = {
  *work({ query, after, input }) {
    const kind = kinds.find(({ begins }) => query.startsWith(begins));
    if (kind) return yield* offerRecords(kind, query.slice(kind.begins.length), after);
    const words = query.toLowerCase().split(/\s+/);
    const offered = knownEndpoints.filter(
      ({ method, endpoint, label }) =>
        (typeof input.method !== "string" || input.method === method) &&
        words.every((word) => `${method} ${endpoint} ${label}`.toLowerCase().includes(word)),
    );
    const options = offered.map(({ method, endpoint, label }) => ({
      value: endpoint,
      label,
      hint: hintOf(method, endpoint),
    }));
    return { options, next: null };
  },
};

function* offerRecords(
  kind: Kind,
  typed: string,
  after: string | null,
): Work<{ options: Option[]; next: string | null }> {
  const offset = Number(after ?? 0);
  const query = kind.isAsset
    ? { maxReturn: pageRows, offset }
    : { batchSize: pageRows, ...(after !== null && { nextPageToken: after }) };
  const { body } = yield* send(buildRequest({ method: "GET", target: { path: kind.list, query } }));
  const rows = pageRowsIn(rowsOf(body), pageRows).filter(isRecord);
  const isWanted = (row: Record<string, unknown>) =>
    `${row.id} ${row.name}`.toLowerCase().includes(typed.split("/")[0]?.toLowerCase() ?? "");
  const isLast = rows.length < pageRows;
  const next = kind.isAsset ? (isLast ? null : String(offset + pageRows)) : tokenIn(body);
  return { options: rows.filter(isWanted).flatMap((row) => endpointsOf(kind, row)), next };
}

/** Every known endpoint of that kind, with this record's id. */
function endpointsOf({ begins }: Kind, { id, name }: Record<string, unknown>): Option[] {
  return knownEndpoints
    .filter(({ endpoint }) => endpoint.startsWith(`${begins}{id}`))
    .map(({ method, endpoint, label }) => {
      const value = endpoint.replace("{id}", () => String(id).slice(0, charactersMax));
      return { value, label: `${label}: ${String(name).slice(0, charactersMax)}`, hint: hintOf(method, value) };
    });
}

/** Some instances serve four paths that the vendor does not publish: the offer says so, and what always works. */
function hintOf(method: string, endpoint: string): string {
  const instead = insteadOfUnpublished(endpoint);
  return instead === null
    ? `${method} ${endpoint}`
    : `${method} ${endpoint} · Not published by the vendor, so many instances return 404. ${instead}`;
}
