import type { Tokens } from "../accounts/tokens.ts";
import { machineChance, newId } from "../ids.ts";
import type { Installation } from "../records.ts";

/** What a vendor's integration console holds about our integration. */
export interface Registration {
  id: string;
  slug: string;
  name: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  scopes: string[];
  webhookUrl: string | null;
  webhookEvents: string[];
}

interface Code {
  installation: Installation;
  redirectUri: string;
  madeAt: number;
}

export interface InstallWish {
  userId: string;
  ownerId: string;
  teamId: string | null;
  projects: string[] | null;
  source: Installation["source"];
}

/** Installations and their grants outlive a reset, so that what is connected stays connected. */
export interface Installations {
  registration: Registration;
  all(): Installation[];
  find(id: string): Installation | null;
  /** Installs and answers a code that is good once, for `code_life_seconds`. */
  install(wish: InstallWish, redirectUri: string, now: number): { installation: Installation; code: string };
  /** The grant behind a code, which is used up by asking. */
  redeem(code: string, redirectUri: string, now: number, lifeSeconds: number): Installation | null;
  remove(installation: Installation): void;
  enableAll(): void;
}

export function createInstallations(registration: Registration, tokens: Tokens): Installations {
  const byId = new Map<string, Installation>();
  const codes = new Map<string, Code>();
  return {
    registration,
    all: () => [...byId.values()],
    find: (id) => byId.get(id) ?? null,
    install(wish, redirectUri, now) {
      // "One configuration per scope; a second authorization makes none": the person changes the one that is there.
      const before = [...byId.values()].find(({ ownerId }) => ownerId === wish.ownerId);
      const made = { id: newId(machineChance, "icfg_"), createdAt: now, disabledAt: null };
      const installation: Installation = Object.assign(before ?? made, {
        ...wish,
        updatedAt: now,
        scopes: [...registration.scopes],
      });
      byId.set(installation.id, installation);
      const code = newId(machineChance, "");
      codes.set(code, { installation, redirectUri, madeAt: now });
      return { installation, code };
    },
    redeem(value, redirectUri, now, lifeSeconds) {
      const code = codes.get(value);
      if (!code || code.redirectUri !== redirectUri) return null;
      codes.delete(value);
      const isFresh = now < code.madeAt + lifeSeconds * 1000;
      return isFresh && byId.has(code.installation.id) ? code.installation : null;
    },
    remove(installation) {
      byId.delete(installation.id);
      tokens.forgetInstallation(installation.id);
    },
    enableAll() {
      for (const installation of byId.values()) installation.disabledAt = null;
    },
  };
}
