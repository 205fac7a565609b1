/** Every visit of one property in columns, one number each: events lie in the order of days, those of a session side by side. */
export interface EventSet {
  firstDay: number;
  lastDay: number;
  /** Index of the first event of each day since `firstDay`, and one more at the end. */
  dayStarts: Uint32Array;
  events: EventColumns;
  sessions: SessionColumns;
  userCount: number;
  /** Users of day d since `userDayZero` have the numbers d × 128 to d × 128 + 127. */
  userDayZero: number;
}

export interface EventColumns {
  session: Uint32Array;
  second: Uint32Array;
  name: Uint8Array;
  page: Uint8Array;
  /** 0 is a plain address; others are variants of the query string. */
  query: Uint16Array;
  engagedSeconds: Uint16Array;
  cents: Int32Array;
  /** 1 more than the item's number; 0 for none. */
  item: Uint8Array;
  quantity: Uint8Array;
  detail: Uint8Array;
}

export interface SessionColumns {
  day: Int32Array;
  user: Uint32Array;
  place: Uint8Array;
  device: Uint8Array;
  language: Uint8Array;
  traffic: Uint8Array;
  firstTraffic: Uint8Array;
  landing: Uint8Array;
  landingQuery: Uint16Array;
  isNew: Uint8Array;
  isEngaged: Uint8Array;
  seconds: Uint16Array;
  /** Age, gender and interest in one number: (age × 3 + gender) × 4 + interest. */
  traits: Uint8Array;
  /** Times an advertisement or a search result was shown for this visit, what the click cost, and the result's place. */
  impressions: Uint16Array;
  costCents: Uint16Array;
  position: Uint8Array;
}

export const usersPerDayMax = 128;

export function createEventColumns(size: number): EventColumns {
  return {
    session: new Uint32Array(size),
    second: new Uint32Array(size),
    name: new Uint8Array(size),
    page: new Uint8Array(size),
    query: new Uint16Array(size),
    engagedSeconds: new Uint16Array(size),
    cents: new Int32Array(size),
    item: new Uint8Array(size),
    quantity: new Uint8Array(size),
    detail: new Uint8Array(size),
  };
}

export function createSessionColumns(size: number): SessionColumns {
  return {
    day: new Int32Array(size),
    user: new Uint32Array(size),
    place: new Uint8Array(size),
    device: new Uint8Array(size),
    language: new Uint8Array(size),
    traffic: new Uint8Array(size),
    firstTraffic: new Uint8Array(size),
    landing: new Uint8Array(size),
    landingQuery: new Uint16Array(size),
    isNew: new Uint8Array(size),
    isEngaged: new Uint8Array(size),
    seconds: new Uint16Array(size),
    traits: new Uint8Array(size),
    impressions: new Uint16Array(size),
    costCents: new Uint16Array(size),
    position: new Uint8Array(size),
  };
}

/** Copies of the used part, so that the memory reserved while generating is freed. */
export function trimmed<Columns extends EventColumns | SessionColumns>(columns: Columns, size: number): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.slice(0, size)])) as Columns;
}
