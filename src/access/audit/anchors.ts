import type { Db } from "../../store/db.ts";
import { type Anchor, insertAnchor } from "./anchors.store.ts";

export type { Anchor } from "./anchors.store.ts";
export { deleteArchivedRows, findAnchor, findAnchorOfArchive } from "./anchors.store.ts";

/** Seals texts for one row of one organization. The vault has it; see `DataKeys`. */
export interface AnchorSeal {
  seal(db: Db, text: string, context: SealedRow): Promise<{ text: string; dataKeyId: string }>;
  open(db: Db, sealed: string, context: SealedRow): Promise<string>;
}

interface SealedRow {
  table: "audit_anchors";
  row: string;
  organizationId: string;
}

type Sealable = Pick<Anchor, "id" | "organizationId" | "seq" | "hash" | "archiveId" | "createdAt">;

const contextOf = ({ id, organizationId }: Sealable): SealedRow => ({
  table: "audit_anchors",
  row: id,
  organizationId,
});

const textOf = ({ seq, hash, archiveId, createdAt }: Sealable): string =>
  JSON.stringify([seq, hash, archiveId, createdAt]);

/** Runs in the transaction that appends the row about it to the chain. */
export async function saveAnchor(db: Db, anchor: Sealable, seal: AnchorSeal): Promise<void> {
  const sealed = await seal.seal(db, textOf(anchor), contextOf(anchor));
  await insertAnchor(db, { ...anchor, sealed: sealed.text, dataKeyId: sealed.dataKeyId });
}

/** Whether the anchor is the one that was sealed. */
export async function isSealIntact(db: Db, anchor: Anchor, seal: AnchorSeal): Promise<boolean> {
  try {
    return (await seal.open(db, anchor.sealed, contextOf(anchor))) === textOf(anchor);
  } catch {
    // A seal that does not open is not intact.
    return false;
  }
}
