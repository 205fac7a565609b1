import type { Deal } from "./deal.ts";
import { textNear } from "./near-matches.ts";
import { bodyWith, bodyWithAll, type Place, shapes, textOf, units } from "./values.ts";
import type { HostileRequest } from "./world.ts";

/** What is sent to one place, whatever carries it: a field of JSON, of a form, of an address, a header. */

export interface Attack extends HostileRequest {
  name: string;
  /** For what works once: what it needs is made right before. */
  prepare?: (request: HostileRequest) => Promise<Partial<HostileRequest>>;
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
const shapesThatStartWith = (start: string): string[] =>
  namesOfShapes.filter((name) => (shapes[name] as (bytes: number) => string)(100).startsWith(start));
const [objects, lists] = [shapesThatStartWith("{"), shapesThatStartWith("[")];
export const jsonOf = (shape: string, bytes: number): string =>
  (shapes[shape] as (bytes: number) => string)(Math.floor(bytes));
export const shapesFrom = (deal: Deal, count: number): string[] => deal.some(namesOfShapes, count);

/** A body of JSON: what is in it otherwise, and how large it may be. */
interface Body {
  base: Record<string, unknown>;
  bytesMax: number;
}

type Named = [name: string, body: string];

/**
 * For each place of a body: each kind alone, because whatever is refused hides what comes after it; then all of them together.
 * One text, one object and one list at least are as large as the server takes.
 */
export function* attacksIn(places: readonly Place[], body: Body, deal: Deal): Generator<Named> {
  const unknown = targetAt(["unknown"]);
  const orUnknown = (some: Place[]): Place[] => (some.length > 0 ? some : [unknown]);
  const largeTexts = deal.largest(orUnknown(places.filter(isLong)));
  const largeKinds = deal.largest([true, false]);
  const largeShapes = deal.largest(orUnknown(places.filter(({ takesMany }) => takesMany)));
  for (const place of new Set([...places, ...largeTexts, ...largeShapes])) {
    const isLarge = ({ isNearMatch }: HostileText) => largeTexts.includes(place) && largeKinds.includes(isNearMatch);
    yield* attacksAt(place, body, deal, { isLarge, hasLargeShapes: largeShapes.includes(place) });
  }
  yield* attacksTogether(places, body, deal);
}

/** May have all of the body. */
const isLong = ({ takesText, charactersMax }: Place): boolean => takesText && charactersMax === null;
const mostOf = ({ base, bytesMax }: Body): number => bytesMax - JSON.stringify(base).length - 200;

function* attacksAt(
  place: Place,
  body: Body,
  deal: Deal,
  { isLarge, hasLargeShapes }: { isLarge(text: HostileText): boolean; hasLargeShapes: boolean },
): Generator<Named> {
  const most = mostOf(body);
  const some = Math.min(someBytes, most);
  const at = (what: string, json: string): Named => [
    `${place.path.join("/")}: ${what}`,
    bodyWith(body.base, place.path, json),
  ];
  for (const [index, text] of place.takesText ? textsFrom(deal).entries() : []) {
    // As long as it may be, and so long that it is refused, unless it may have all of the body. A near-match only as long as it may
    // be: refused, it would not reach the expression behind the check.
    const room = text.charactersIn(isLarge(text) ? most : some);
    const longest = Math.min(room, place.charactersMax ?? room);
    const sizes = text.isNearMatch ? [longest] : deal.either(index, [longest, text.charactersIn(some)]);
    for (const size of new Set(isLarge(text) ? [longest] : sizes)) {
      yield at(`${size} characters of ${text.name}`, JSON.stringify(text.make(size)));
    }
  }
  for (const shape of shapesFrom(deal, 1)) yield at(shape, jsonOf(shape, some));
  if (!hasLargeShapes) return;
  for (const shape of [...deal.some(objects, 1), ...deal.some(lists, 1)]) {
    yield at(`${shape}, as large as can be`, jsonOf(shape, most));
  }
}

/** Every place has a text of its own. None is within another, and none is longer than it may be. */
function* attacksTogether(places: readonly Place[], body: Body, deal: Deal): Generator<Named> {
  const texts = places.filter(({ takesText }) => takesText);
  const apart = texts.filter((each) => !texts.some((other) => other !== each && isWithin(other, each)));
  if (apart.length < 2) return;
  const bytes = Math.min(someBytes, mostOf(body) / apart.length - 200);
  const dealt = apart.map(() => Array.from({ length: deal.together }, () => textsFrom(deal)).flat());
  const count = Math.max(...dealt.map((own) => own.length));
  for (let index = 0; index < count; index++) {
    const chosen = apart.flatMap((place, at): [Place, HostileText][] => {
      const text = dealt[at]?.[index];
      return text ? [[place, text]] : [];
    });
    const written = chosen.map(([{ path, charactersMax }, text]): [Place["path"], string] => {
      const room = Math.max(1, text.charactersIn(bytes));
      return [path, JSON.stringify(text.make(Math.min(room, charactersMax ?? room)))];
    });
    const names = chosen.map(([{ path }, text]) => `${path.join("/")} with ${text.name}`);
    yield [`together: ${names.join(", ")}`, bodyWithAll(body.base, written)];
  }
}

const isWithin = (inner: Place, outer: Place): boolean =>
  inner.path.length > outer.path.length && outer.path.every((step, index) => inner.path[index] === step);

/** Takes everything: what is not described by a schema of ours. */
export const targetAt = (path: Place["path"]): Place => ({
  path,
  takesText: true,
  takesMany: true,
  charactersMax: null,
});
