import { requireAdmin } from "../access/callers/require-role.ts";
import { projectOf, type Scope } from "../access/scope.ts";
import type { ConnectionReader } from "./connections.ts";

export interface AllowedInstance {
  instance: string;
  byAdmin: boolean;
}

/**
 * Only an admin may allow an address that is neither the vendor's nor the sandbox's. Once it is allowed, any editor may
 * reconnect the account.
 */
export async function allowInstance(
  scope: Scope,
  { instance, connectionId }: { instance: string; connectionId?: string | undefined },
  vault: Pick<ConnectionReader, "find">,
): Promise<AllowedInstance> {
  if (instance === "live" || instance === "sandbox") return { instance, byAdmin: false };
  const existing = connectionId === undefined ? null : await vault.find(projectOf(scope), connectionId);
  const [known] = existing?.instance === "custom" ? Object.values(existing.addresses) : [];
  if (known !== undefined && (instance === "custom" || instance === known)) {
    return { instance: known, byAdmin: false };
  }
  await requireAdmin(scope);
  return { instance, byAdmin: true };
}
