import { randomBase62, randomByte } from "./random.ts";
import { isRegion, type Region } from "./regions.ts";

/** An id says what it names, and where it lives: prj_eu_01jd3t… */
const prefixes = {
  organization: "org",
  project: "prj",
  user: "usr",
  invite: "inv",
  key: "key",
  session: "ses",
  passkey: "pky",
  codeGenerator: "otp",
  provider: "sso",
  domain: "dom",
  identity: "idn",
  mail: "mail",
  connection: "con",
  dataKey: "dek",
  run: "run",
  tool: "tol",
  schedule: "sch",
  agent: "agt",
  conversation: "cnv",
  event: "evt",
  webhook: "whk",
  delivery: "dlv",
  directory: "dir",
  directoryToken: "dtk",
  group: "grp",
  grant: "agr",
  hold: "hld",
  archive: "arc",
  anchor: "anc",
} as const;
export type IdKind = keyof typeof prefixes;

// Lower-case base 32 sorts alike in SQLite and under every PostgreSQL collation, so ids are also the order of creation.
const base32 = "0123456789abcdefghjkmnpqrstvwxyz";

let lastMillisecond = 0;
let lastText = "";
let countWithin = 0;

/** Ten characters of time and four of a counter: ids made by one process never go backwards. */
function orderedStamp(): string {
  const now = Date.now();
  if (now > lastMillisecond) {
    lastMillisecond = now;
    lastText = base32Of(now, 10);
    countWithin = 0;
  }
  return lastText + base32Of(countWithin++, 4);
}

function base32Of(number: number, characters: number): string {
  let text = "";
  for (let rest = number; text.length < characters; rest = Math.floor(rest / 32)) text = base32[rest % 32] + text;
  return text;
}

export function newId(kind: IdKind, region: Region): string {
  let tail = "";
  for (let i = 0; i < 12; i++) tail += base32[randomByte() & 31];
  return `${prefixes[kind]}_${region}_${orderedStamp()}${tail}`;
}

/** How the ids of a kind begin that are made at this moment: it bounds a list by time without reading the rows. */
export const idAt = (kind: IdKind, region: Region, at: Date): string =>
  `${prefixes[kind]}_${region}_${base32Of(Math.max(0, at.getTime()), 10)}`;

/** When an id was made, or the bound that `idAt` returns. */
export function timeOfId(id: string): Date {
  let milliseconds = 0;
  for (const character of id.split("_", 3)[2]?.slice(0, 10) ?? "") {
    milliseconds = milliseconds * 32 + base32.indexOf(character);
  }
  return new Date(milliseconds);
}

/** An invite code lets its holder claim the invite, so it carries 256 random bits after its time part. */
export const newInviteCode = (region: Region): string =>
  `${prefixes.invite}_${region}_${orderedStamp()}${randomBase62(43)}`;

const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix as string, kind as IdKind]));

/** What an id names, read from its text alone; null if it is not an id of ours. */
export const kindOfId = (id: string): IdKind | null => kinds.get(id.slice(0, Math.max(0, id.indexOf("_")))) ?? null;

/** The region in an id's text, or null. */
export function regionOfId(id: string): Region | null {
  const region = /^[a-z]{3,4}_([a-z]{2})_/.exec(id)?.[1];
  return region !== undefined && isRegion(region) ? region : null;
}

/** The form of any id, code or cursor; other texts never reach the store. */
export const idShape = /^[\x21-\x7e]{1,128}$/;
