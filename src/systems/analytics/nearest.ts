/** A thing that can be named, and what else people may call it. */
export interface Named {
  name: string;
  also?: readonly string[];
}

/** The names that look most like what was written, best first; none where nothing does. */
export function nearest(written: string, known: readonly Named[], howMany = 3): string[] {
  const wanted = plain(written);
  const farthest = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map(({ name, also = [] }) => ({
      name,
      far: Math.min(...[name, ...also].map((each) => distance(wanted, plain(each)))),
    }))
    .filter(({ far }) => far <= farthest)
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, howMany)
    .map(({ name }) => name);
}

/** «Page views» and `page_views` are the same name. */
const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]/g, "");

/** Letters to insert, leave out or replace; a name that holds the other counts as nearly the same. */
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
