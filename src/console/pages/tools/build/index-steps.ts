import MiniSearch from "minisearch";
import type { StepRecord } from "../tool.ts";
import { toolWords } from "./built-in-steps.ts";

/** A step, or a word of tools, as the search bar shows it. */
export interface FoundStep {
  id: string;
  title: string;
  summary: string;
  /** The kind of system, or null for words of tools. */
  system: string | null;
  vendor: string;
}

export type FindSteps = (query: string) => FoundStep[];

/**
 * "A step is found by typing its system's kind into the tool-step search bar." The index stands in the browser, with the words and
 * the rules of `steps/search`, so that typing never waits for the server.
 */
export function indexSteps(records: readonly StepRecord[]): FindSteps {
  const entries = [
    ...records.map((step) => ({ ...step, id: step.step_id, words: step.keywords.join(" ") })),
    ...Object.entries(toolWords).map(([id, { title, summary, keywords }]) => ({
      id,
      title,
      summary,
      system: null,
      vendor: "",
      words: keywords,
    })),
  ];
  const found = entries.map(({ id, title, summary, system, vendor }) => ({ id, title, summary, system, vendor }));
  const index = new MiniSearch<(typeof entries)[number]>({
    fields: ["title", "words", "summary"],
    searchOptions: {
      boost: { title: 4, words: 2 },
      prefix: true,
      // One wrong letter in four: short words must be right.
      fuzzy: (term) => (term.length > 3 ? 0.25 : false),
      combineWith: "OR",
    },
  });
  index.addAll(entries);
  return (query) => {
    const wanted = query.trim();
    if (wanted === "") return found;
    const hits = index.search(wanted);
    const words = new Set(wanted.toLowerCase().split(/\s+/)).size;
    const whole = hits.filter(({ queryTerms }) => queryTerms.length >= words);
    const shown = whole.length > 0 ? whole : hits;
    return shown.flatMap(({ id }) => found.filter((step) => step.id === id));
  };
}
