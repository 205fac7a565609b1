import type { Deal } from "./deal.ts";
import { textNear } from "./near-matches.ts";
import { bodyWith, type Place, shapes, textOf, units } from "./values.ts";
import type { HostileRequest } from "./world.ts";

/** What is sent to one place, whatever carries it: a field of JSON, of a form, of an address, a header. */

export interface Attack extends HostileRequest {
  name: string;
  /** For what works once: what it needs is made right before. */
  prepare?: () => Promise<Partial<HostileRequest>>;
}

export interface HostileText {
  name: string;
  make(characters: number): string;
  /** How long it may be, to have this size as JSON. */
  charactersIn(bytes: number): number;
  isNearMatch: boolean;
}

/** What grows faster than its input shows at this size too: as a square, it takes a second or more. */
export const someBytes = 60 * 1024;

export const textsFrom = (deal: Deal): HostileText[] => [
  ...deal.some(units, 1).map((unit) => ({
    name: JSON.stringify(unit),
    make: (characters: number) => textOf(unit, characters),
    charactersIn: (bytes: number) => Math.floor((bytes / jsonBytesOf(unit)) * unit.length),
    isNearMatch: false,
  })),
  ...deal.nearMatches(1).map((near) => ({
    name: `nearly ${near.of}, repeating ${JSON.stringify(near.unit)}`,
    make: (characters: number) => textNear(near, characters),
    charactersIn: (bytes: number) =>
      Math.floor(((bytes - jsonBytesOf(near.before + near.after)) / jsonBytesOf(near.unit)) * near.unit.length),
    isNearMatch: true,
  })),
];

const jsonBytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** As it is written in an address or a form, of at most this size. A character that was cut off is left out. */
export const inAddress = (text: HostileText, bytes: number): string =>
  encodeURIComponent(text.make(bytes).toWellFormed())
    .slice(0, bytes)
    .replace(/%[0-9A-F]?$/, "");

const namesOfShapes = Object.keys(shapes);
export const jsonOf = (shape: string, bytes: number): string =>
  (shapes[shape] as (bytes: number) => string)(Math.floor(bytes));
export const shapesFrom = (deal: Deal, count: number): string[] => deal.some(namesOfShapes, count);

/** At one place of a body of JSON: its name, and the body. */
export function* attacksAt(
  place: Place,
  base: Record<string, unknown>,
  bytesMax: number,
  deal: Deal,
): Generator<[string, string]> {
  const most = bytesMax - JSON.stringify(base).length - 200;
  const some = Math.min(someBytes, most);
  const at = (json: string) => bodyWith(base, place.path, json);
  const named = (what: string) => `${place.path.join("/")}: ${what}`;
  const isLarge = deal.isLarge();
  for (const [index, text] of place.takesText ? textsFrom(deal).entries() : []) {
    // As long as it may be, and so long that it is refused, unless it may have all of the body. A near-match only as long as it may
    // be: refused, it would not reach the expression behind the check.
    const room = isLarge && !text.isNearMatch ? most : some;
    const longest = Math.min(text.charactersIn(room), place.charactersMax ?? Number.POSITIVE_INFINITY);
    const both = [longest, text.charactersIn(some)] as const;
    const sizes = text.isNearMatch ? [longest] : deal.either(index, both);
    for (const size of new Set(sizes)) {
      yield [named(`${size} characters of ${text.name}`), at(JSON.stringify(text.make(size)))];
    }
  }
  for (const shape of shapesFrom(deal, 1)) {
    yield [named(shape), at(jsonOf(shape, place.takesMany && isLarge ? most : some))];
  }
}

/** Takes everything: what is not described by a schema of ours. */
export const targetAt = (path: Place["path"]): Place => ({
  path,
  takesText: true,
  takesMany: true,
  charactersMax: null,
});
