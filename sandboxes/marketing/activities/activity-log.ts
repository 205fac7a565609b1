import { typeIds } from "./activity-types.ts";

export type Attribute = readonly [name: string, value: string | number | boolean];

/** Something that happened to a lead. Never changed once written. */
export interface Activity {
  id: number;
  leadId: number;
  at: number;
  typeId: number;
  campaignId: number | null;
  /** The record it is about: a mailing, a page, a list, a field. */
  primaryId: number;
  primaryValue: string;
  attributes: readonly Attribute[];
}

export type NewActivity = Omit<Activity, "id">;

/** The instance's activities in the order in which they were written, and how many of a kind each asset has. */
export interface ActivityLog {
  readonly length: number;
  at(index: number): Activity | undefined;
  append(activity: NewActivity): Activity;
  /** Where the log stands at a moment: the index of the first activity not before it. */
  indexAt(moment: number): number;
  /** How many activities of a type are about this asset. */
  count(typeId: number, assetId: number): number;
  /** How many forms were filled on this page: there the page is an attribute and the form the primary. */
  formFills(pageId: number): number;
}

/** Goes on from a past that is never changed, so that many logs can share it. */
export function createActivityLog(past: readonly Activity[], firstId: number): ActivityLog {
  const recent: Activity[] = [];
  const counts = new Map<number, number>();
  const fills = new Map<number, number>();
  for (const activity of past) tally(activity);

  function tally({ typeId, primaryId, attributes }: Activity): void {
    const key = countKey(typeId, primaryId);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (typeId !== typeIds.fillOutForm) return;
    const pageId = Number(attributes.find(([name]) => name === "Webpage ID")?.[1]);
    fills.set(pageId, (fills.get(pageId) ?? 0) + 1);
  }

  const at = (index: number) => (index < past.length ? past[index] : recent[index - past.length]);

  return {
    get length() {
      return past.length + recent.length;
    },
    at,
    append(activity) {
      const written = { id: firstId + past.length + recent.length, ...activity };
      recent.push(written);
      tally(written);
      return written;
    },
    indexAt(moment) {
      let low = 0;
      let high = past.length + recent.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((at(middle)?.at ?? 0) < moment) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    count: (typeId, assetId) => counts.get(countKey(typeId, assetId)) ?? 0,
    formFills: (pageId) => fills.get(pageId) ?? 0,
  };
}

// One number for the pair: type ids stay far below this.
const countKey = (typeId: number, assetId: number) => assetId * 1000 + typeId;
