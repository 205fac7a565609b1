/*
 * A semaphore with a limit per tenant. It counts what a process holds at once: requests under way, each with a socket, and
 * large answers in memory. A tenant with slow systems must not use up the capacity of the others. Semaphores from packages
 * have one limit for all; this one keeps slots free for the next tenant.
 */

export interface CapacityOptions {
  tenantMax: number;
  allMax: number;
  /** Each tenant gets at least this many, however many the others hold. */
  tenantMin: number;
}

export const callCapacity: CapacityOptions = { tenantMax: 128, allMax: 1024, tenantMin: 8 };
/** An answer may have 10 MiB; its text and its parsed values take as much again. */
export const largeAnswerCapacity: CapacityOptions = { tenantMax: 4, allMax: 16, tenantMin: 1 };
const waitingMax = 1000;

/** The tenant has its maximum of calls under way; nothing was sent. */
export class CapacityExhausted extends Error {
  override readonly name = "CapacityExhausted";
}

/** Frees the slot. */
export type Release = () => void;

export interface Capacity {
  /**
   * Takes a free slot at once, or waits for one. Rejects with CapacityExhausted after the time-out, or if too many
   * calls of the tenant already wait.
   */
  acquire(tenantId: string, milliseconds: number): Release | Promise<Release>;
}

interface Tenant {
  active: number;
  waiting: Set<() => void>;
  release: Release;
}

export function createCapacity({ tenantMax, allMax, tenantMin }: CapacityOptions): Capacity {
  const tenants = new Map<string, Tenant>();
  let all = 0;

  /** A tenant may hold half of what the others leave, so that the next tenant finds free slots. */
  const hasRoom = ({ active }: Tenant): boolean =>
    active < Math.min(tenantMax, Math.max(tenantMin, Math.floor((allMax - (all - active)) / 2)));

  function tenantOf(id: string): Tenant {
    let tenant = tenants.get(id);
    if (!tenant) {
      tenant = { active: 0, waiting: new Set(), release: () => release(id) };
      tenants.set(id, tenant);
    }
    return tenant;
  }

  function take(tenant: Tenant): Release {
    tenant.active++;
    all++;
    return tenant.release;
  }

  function release(id: string): void {
    const tenant = tenantOf(id);
    tenant.active--;
    all--;
    for (const start of tenant.waiting) {
      if (!hasRoom(tenant)) break;
      start();
    }
    if (tenant.active === 0 && tenant.waiting.size === 0) tenants.delete(id);
  }

  const waitFor = (tenant: Tenant, milliseconds: number): Promise<Release> =>
    new Promise((resolve, reject) => {
      const refuse = () => reject(new CapacityExhausted("Too many calls of this organization are under way."));
      if (tenant.waiting.size >= waitingMax) return refuse();
      const start = () => {
        clearTimeout(timer);
        tenant.waiting.delete(start);
        resolve(take(tenant));
      };
      const timer = setTimeout(() => {
        tenant.waiting.delete(start);
        refuse();
      }, milliseconds);
      tenant.waiting.add(start);
    });

  return {
    acquire(tenantId, milliseconds) {
      const tenant = tenantOf(tenantId);
      return tenant.waiting.size === 0 && hasRoom(tenant) ? take(tenant) : waitFor(tenant, milliseconds);
    },
  };
}
