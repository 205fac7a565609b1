/*
 * How many there are of something at once in this process, tenant by tenant: requests under way, each with a socket, and answers
 * that are large. A tenant whose systems are slow, by fate or by design, must not take those of the others.
 */

export interface PlacesOptions {
  tenantMax: number;
  allMax: number;
  /** Whatever the others do, so many are left to each. */
  tenantMin: number;
}

export const callPlaces: PlacesOptions = { tenantMax: 128, allMax: 1024, tenantMin: 8 };
/** An answer may have 10 MiB, and its text and its values as much again. */
export const largePlaces: PlacesOptions = { tenantMax: 4, allMax: 16, tenantMin: 1 };
const waitingMax = 1000;

/** A tenant has as many calls under way as it may have; nothing was sent. */
export class Crowded extends Error {
  override readonly name = "Crowded";
}

/** Gives the place back. */
export type Leave = () => void;

export interface Places {
  /**
   * At once where there is a place; otherwise a promise of one. Rejects with Crowded where the time is over before, or too many
   * of the tenant's wait already.
   */
  enter(tenant: string, milliseconds: number): Leave | Promise<Leave>;
}

interface Crowd {
  active: number;
  waiting: Set<() => void>;
  leave: Leave;
}

export function createPlaces({ tenantMax, allMax, tenantMin }: PlacesOptions): Places {
  const crowds = new Map<string, Crowd>();
  let all = 0;

  /** Half of what the others leave, so that whoever comes next finds some. */
  const isRoomFor = ({ active }: Crowd): boolean =>
    active < Math.min(tenantMax, Math.max(tenantMin, Math.floor((allMax - (all - active)) / 2)));

  function crowdOf(tenant: string): Crowd {
    let crowd = crowds.get(tenant);
    if (!crowd) {
      crowd = { active: 0, waiting: new Set(), leave: () => leave(tenant) };
      crowds.set(tenant, crowd);
    }
    return crowd;
  }

  function take(crowd: Crowd): Leave {
    crowd.active++;
    all++;
    return crowd.leave;
  }

  function leave(tenant: string): void {
    const crowd = crowdOf(tenant);
    crowd.active--;
    all--;
    for (const go of crowd.waiting) {
      if (!isRoomFor(crowd)) break;
      go();
    }
    if (crowd.active === 0 && crowd.waiting.size === 0) crowds.delete(tenant);
  }

  const waitIn = (crowd: Crowd, milliseconds: number): Promise<Leave> =>
    new Promise((resolve, reject) => {
      const full = () => reject(new Crowded("Too many calls of this organization are under way."));
      if (crowd.waiting.size >= waitingMax) return full();
      const go = () => {
        clearTimeout(timer);
        crowd.waiting.delete(go);
        resolve(take(crowd));
      };
      const timer = setTimeout(() => {
        crowd.waiting.delete(go);
        full();
      }, milliseconds);
      crowd.waiting.add(go);
    });

  return {
    enter(tenant, milliseconds) {
      const crowd = crowdOf(tenant);
      return crowd.waiting.size === 0 && isRoomFor(crowd) ? take(crowd) : waitIn(crowd, milliseconds);
    },
  };
}
