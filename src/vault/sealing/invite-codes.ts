import type { InviteCodes } from "../../access/invite-codes.ts";
import { newInviteCode } from "../../kernel/ids.ts";
import type { Store } from "../../store/db.ts";
import { isKnownByAll } from "../../store/migrate.ts";
import { ensureCodeKey, findOpenCodeKey } from "./code-key.ts";
import { type CodeHider, createCodeHider, isHidden } from "./hidden-code.ts";
import type { KeyRing } from "./key-ring.ts";
import { SealBroken } from "./seal.ts";

/** The migration that added the key. Programs that do not know it look codes up as they are. */
const codeKeyMigration = 36;

export interface OpenInviteCodes extends InviteCodes {
  /** Begins to hide new codes once every program that may use the store can read them. Call it from time to time. */
  refresh(): Promise<void>;
}

/**
 * `refresh` must have succeeded once before codes can be looked up. Until the upgrade of all nodes has ended, new codes are
 * stored as they are, and hidden ones of other nodes are understood.
 */
export function createInviteCodes(parts: { store: Store; ring: KeyRing; now: () => Date }): OpenInviteCodes {
  const { store, ring, now } = parts;
  let hider: CodeHider | null = null;
  let isHiding = false;
  return {
    async refresh() {
      if (isHiding && hider) return;
      const isKnown = await isKnownByAll(store, codeKeyMigration);
      await ensureCodeKey(store, ring, now(), isKnown ? "may be in use" : "not used yet");
      const key = await findOpenCodeKey(store, ring);
      hider = key && createCodeHider(key);
      isHiding = isKnown;
    },
    create(region) {
      const code = newInviteCode(region);
      return { code, stored: (isHiding && hider?.hide(code)) || code };
    },
    shown(stored) {
      if (!isHidden(stored)) return stored;
      const code = hider?.show(stored);
      if (!code) throw new SealBroken();
      return code;
    },
    formsOf(code) {
      if (isHidden(code)) return [];
      const hidden = hider?.hide(code);
      return hidden ? [hidden, code] : [code];
    },
  };
}
