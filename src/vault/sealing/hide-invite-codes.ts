import type { InviteCodes } from "../../access/invite-code-port.ts";
import { newInviteCode } from "../../kernel/ids.ts";
import type { Store } from "../../store/db.ts";
import { isKnownByAll } from "../../store/migrate.ts";
import { ensureCodeKey, findOpenCodeKey } from "./invite-code-key.ts";
import type { KeyRing } from "./key-ring.ts";
import { SealBroken } from "./seal.ts";
import { createHalfCodes, type HalfCodes, isStoredForm } from "./split-invite-code.ts";

/** The migration that added the key. Programs that do not know it look codes up as they are. */
const codeKeyMigration = 36;

export interface OpenInviteCodes extends InviteCodes {
  /** Begins to store new codes by half once every program that may use the store can read them. Call it from time to time. */
  refresh(): Promise<void>;
}

/**
 * `refresh` must have succeeded once before codes can be looked up. Until the upgrade of all nodes has ended, new codes are
 * stored as they are, and those that other nodes stored by half are understood.
 */
export function createInviteCodes(parts: { store: Store; ring: KeyRing; now: () => Date }): OpenInviteCodes {
  const { store, ring, now } = parts;
  let halves: HalfCodes | null = null;
  let isHiding = false;
  return {
    async refresh() {
      if (isHiding && halves) return;
      const isKnown = await isKnownByAll(store, codeKeyMigration);
      await ensureCodeKey(store, ring, now(), isKnown ? "may be in use" : "not used yet");
      const key = await findOpenCodeKey(store, ring);
      halves = key && createHalfCodes(key);
      isHiding = isKnown;
    },
    create(region) {
      const code = newInviteCode(region);
      return isHiding && halves ? halves.complete(code) : { code, stored: code };
    },
    shown(stored) {
      if (!isStoredForm(stored)) return stored;
      if (!halves) throw new SealBroken();
      return halves.codeOf(stored);
    },
    storedOf: (code) => (isStoredForm(code) ? null : (halves?.storedOf(code) ?? code)),
  };
}
