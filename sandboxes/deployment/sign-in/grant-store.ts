import type { Adapter, AdapterPayload } from "oidc-provider";
import type { Clock } from "../../server/clock.ts";

interface Kept {
  payload: AdapterPayload;
  /** By the sandbox's clock; the library counts in the machine's time. */
  expiresAt: number;
}

/** Where the library keeps codes, grants and tokens: in memory, over resets, with lives that go by the sandbox's clock. */
export function createGrantStore(clock: Clock): (name: string) => Adapter {
  const kept = new Map<string, Kept>();
  const idOfUid = new Map<string, string>();
  const offsetSeconds = () => Math.round((clock.now() - Date.now()) / 1000);

  return (name) => {
    const keyOf = (id: string) => `${name} ${id}`;
    const find = async (id: string): Promise<AdapterPayload | undefined> => {
      const found = kept.get(keyOf(id));
      if (!found || clock.now() >= found.expiresAt) return undefined;
      const { exp } = found.payload;
      return exp === undefined ? found.payload : { ...found.payload, exp: found.expiresAt / 1000 - offsetSeconds() };
    };
    return {
      async upsert(id, payload, expiresIn) {
        const seconds = expiresIn ?? 10 * 365 * 86_400;
        kept.set(keyOf(id), { payload, expiresAt: clock.now() + seconds * 1000 });
        if (payload.uid) idOfUid.set(payload.uid, id);
      },
      find,
      async findByUid(uid) {
        const id = idOfUid.get(uid);
        return id === undefined ? undefined : find(id);
      },
      async findByUserCode() {
        return undefined;
      },
      async consume(id) {
        const found = kept.get(keyOf(id));
        if (found) found.payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        kept.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key);
      },
    };
  };
}
