import MiniSearch from "minisearch";
import type { Step } from "./define.ts";
import { steps } from "./index.ts";

interface Entry {
  id: string;
  title: string;
  system: string;
  words: string;
  summary: string;
}

const toEntry = (step: Step): Entry => ({
  id: step.id,
  title: step.title,
  system: [step.system.title, step.system.vendor, ...step.system.words].join(" "),
  words: step.words.join(" "),
  summary: step.summary,
});

const index = new MiniSearch<Entry>({
  fields: ["title", "system", "words", "summary"],
  searchOptions: {
    boost: { title: 4, system: 2, words: 2 },
    prefix: true,
    // One wrong character in four: short words must be right.
    fuzzy: (term) => (term.length > 3 ? 0.25 : false),
    combineWith: "OR",
  },
});
index.addAll(steps.map(toEntry));

/** "A step is found by typing its system's kind into the tool-step search bar": also by vendor, task, synonyms, with typing errors. */
export function searchSteps(query: string): readonly Step[] {
  const wanted = query.trim();
  if (wanted === "") return steps;
  const found = index.search(wanted);
  // A query of several words means all of them; a step with only some counts only if no step has all.
  const words = new Set(wanted.toLowerCase().split(/\s+/)).size;
  const all = found.filter(({ queryTerms }) => queryTerms.length >= words);
  const shown = all.length > 0 ? all : found;
  return shown.flatMap(({ id }) => steps.filter((step) => step.id === id));
}
