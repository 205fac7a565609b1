import type { AnchorSeal } from "../../access/audit/anchors.ts";
import type { Region } from "../../kernel/regions.ts";
import { existingKeyRing } from "../../start/master-keys.ts";
import type { Config } from "../../start/settings/config.ts";
import { createDataKeys } from "../../vault/sealing/data-keys.ts";
import { hasKeyInFolder } from "../../vault/sealing/key-ring.ts";

/** Opens the seals of anchors; null if this machine has no master key. Then the hashes alone are compared. */
export function openSeal(config: Config, region: Region): AnchorSeal | null {
  if (!config.masterKey && !hasKeyInFolder(config.home)) return null;
  return createDataKeys({ ring: existingKeyRing(config), region, now: () => new Date() });
}
