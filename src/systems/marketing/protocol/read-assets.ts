import { goneWarnings } from "../../lost-write-warnings.ts";
import type { SentThen } from "../../made-then.ts";
import { type Query, send, type Work } from "../../work.ts";
import { buildRequest, type MarketingCall } from "./build-request.ts";
import { draftedAssets, isRecord, undraftedAssets } from "./endpoints.ts";
import type { Found, ReadBack } from "./found.ts";
import { rowsOf } from "./rows.ts";

/** What an asset shows of a write whose answer was lost. The system never uses an id again. */

const call = /^\/rest\/asset\/v1\/(\w+)\/(\d+)\/(\w+)\.json$/;
const drafted: readonly string[] = draftedAssets;
const undrafted: readonly string[] = undraftedAssets;

type Version = "approved" | "draft";
/** Which version is gone after a call, and which one is left. */
const versionsAfter: Readonly<Record<string, { gone: Version; left: Version }>> = {
  approveDraft: { gone: "draft", left: "approved" },
  discardDraft: { gone: "draft", left: "approved" },
  unapprove: { gone: "approved", left: "draft" },
};

export function* readAsset({ target, body }: MarketingCall, sent: SentThen): Work<Found> {
  const [, kind = "", id = "", verb = ""] = call.exec(target.path) ?? [];
  const hasDrafts = drafted.includes(kind);
  if (verb === "delete" && kind === "folder") return yield* readDeletedFolder(id, body?.type ?? target.query.type);
  if (verb === "delete" && (hasDrafts || undrafted.includes(kind))) {
    const isThere = (yield* find(kind, id, null)) !== null;
    return isThere ? "did not" : { output: done(id), warnings: goneWarnings };
  }
  const after = hasDrafts ? versionsAfter[verb] : undefined;
  if (after === undefined) return "cannot tell";
  // Others may have changed it since, so the opposite proves nothing.
  if ((yield* find(kind, id, after.gone)) !== null) return "cannot tell";
  const version = yield* find(kind, id, after.left);
  return version !== null && isChangedThen(version, sent) ? { output: done(id) } : "cannot tell";
}

/** A program may have the same id, and is a folder too: that one is meant with another type. */
function* readDeletedFolder(id: string, type: unknown): Work<Found> {
  if ((type ?? "Folder") !== "Folder") return "cannot tell";
  const isThere = (yield* read("folder", id, { type: "Folder" })) !== null;
  return isThere ? "did not" : { output: done(id), warnings: goneWarnings };
}

const find = (kind: string, id: string, status: Version | null) => read(kind, id, status === null ? {} : { status });

/** An asset that is not there is an empty success. */
function* read(kind: string, id: string, query: Query): Work<Record<string, unknown> | null> {
  const target = { path: `/rest/asset/v1/${kind}/${id}.json`, query };
  const { body } = yield* send({ ...buildRequest({ method: "GET", target }), mayBeAbsent: true });
  const [row] = rowsOf(body);
  return isRecord(row) ? row : null;
}

const done = (id: string): ReadBack => ({ status: 200, body: { success: true, result: [{ id: Number(id) }] } });

/** Of times in whole seconds, and of the system's clock in its answers. */
const toleranceMilliseconds = 5000;

/** The Asset API writes times as `2026-11-17T10:00:00Z+0000`. */
function isChangedThen({ updatedAt }: Record<string, unknown>, { askedAt, latestAt }: SentThen): boolean {
  const at = Date.parse(String(updatedAt).replace("Z+0000", "Z"));
  return at >= askedAt.getTime() - toleranceMilliseconds && at <= latestAt.getTime() + toleranceMilliseconds;
}
