import type { AnchorSeal } from "../../access/audit/anchors.ts";
import type { Region } from "../../kernel/regions.ts";
import { existingKeyRing } from "../../start/master-keys.ts";
import type { Config } from "../../start/settings/config.ts";
import { SettingRefused } from "../../start/settings/setting-refused.ts";
import { createDataKeys } from "../../vault/sealing/data-keys.ts";

/** Opens the seals of anchors; null if this machine has no master key. Then the hashes alone are compared. */
export function openSeal(config: Config, region: Region): AnchorSeal | null {
  try {
    return createDataKeys({ ring: existingKeyRing(config), region, now: () => new Date() });
  } catch (error) {
    if (error instanceof SettingRefused) return null;
    throw error;
  }
}
