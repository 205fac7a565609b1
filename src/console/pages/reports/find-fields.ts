import type { Field } from "./use-fields.ts";

interface Offered {
  value: string;
  label: string;
}

/** Finds what is offered by its name, the system's name or a word of its meaning. Names that begin with the text come first. */
export function findFields<O>(fields: readonly Field[]): (asked: { options: O[]; search: string }) => O[] {
  const meanings = new Map(fields.map(({ value, hint }) => [value, hint ?? ""]));
  return ({ options, search }) => {
    const wanted = search.trim().toLowerCase();
    const words = wanted.split(/\s+/).filter(Boolean);
    if (words.length === 0) return options;
    const textOf = ({ value, label }: Offered) => `${value} ${label} ${meanings.get(value) ?? ""}`.toLowerCase();
    const isFirst = ({ value, label }: Offered) => [value, label].some((text) => text.toLowerCase().startsWith(wanted));
    const found = (options as Offered[]).filter((option) => words.every((word) => textOf(option).includes(word)));
    return [...found.filter(isFirst), ...found.filter((option) => !isFirst(option))] as O[];
  };
}
