/** A name, and other names that people use for it. */
export interface Named {
  name: string;
  also?: readonly string[];
}

/** The comparison takes time for each pair of characters, so longer names match nothing. */
const charactersMax = 60;
const knownMax = 2_000;
const alsoMax = 4;
/** Pairs of characters that are compared in all, which takes some milliseconds. Names after that match nothing. */
const comparedMax = 1_000_000;

/** The most similar names, best first; empty if none is similar. */
export function nearest(written: string, known: readonly Named[], howMany = 3): string[] {
  if (written.length > charactersMax) return [];
  const wanted = plain(written);
  const farthest = Math.max(2, Math.floor(wanted.length / 3));
  let compared = 0;
  const far = (name: string): number => {
    if (name.length > charactersMax) return Number.POSITIVE_INFINITY;
    compared += wanted.length * name.length;
    return compared > comparedMax ? Number.POSITIVE_INFINITY : distance(wanted, plain(name));
  };
  return known
    .slice(0, knownMax)
    .map(({ name, also = [] }) => ({ name, far: Math.min(...[name, ...also.slice(0, alsoMax)].map(far)) }))
    .filter(({ far }) => far <= farthest)
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, howMany)
    .map(({ name }) => name);
}

/** «Page views» and `page_views` are the same name. */
const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]/g, "");

/** Characters to insert, delete or replace; a name that contains the other counts as nearly the same. */
function distance(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  if (shorter.length >= 4 && longer.includes(shorter)) return Math.min(2, longer.length - shorter.length);
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
