/** By what a piece of state is keyed, and how large it can become or what ends an entry. */
export type Keyed = readonly [by: string, bound: string];

/** Pieces of state by file and name. */
export type KeptInFiles = Record<string, Record<string, Keyed>>;

export const ourOwn = "nobody: it holds what our own source says, the same for everybody";
export const oneCall = "nobody: one call, run or document has it to itself";
export const sameForAll = "the text itself: it means the same for every author";
export const withTheProcess = "one for each part of the process; nobody adds any from outside";

/** Names of many files, separated by spaces, that are all keyed alike. */
export const alike = (keyed: Keyed, names: Record<string, string>): KeptInFiles =>
  Object.fromEntries(
    Object.entries(names).map(([file, listed]) => [
      file,
      Object.fromEntries(listed.split(" ").map((name) => [name, keyed])),
    ]),
  );

export function together(...parts: KeptInFiles[]): KeptInFiles {
  const all: KeptInFiles = {};
  for (const part of parts) for (const [file, names] of Object.entries(part)) all[file] = { ...all[file], ...names };
  return all;
}
