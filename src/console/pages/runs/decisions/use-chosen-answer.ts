import { useSearchState } from "../../../state/use-search-state.ts";

/**
 * Which answer is about to be given, in the address. It names what it answers: when something else takes its place meanwhile, the
 * dialog closes, and nobody confirms what they have not read.
 */
export function useChosenAnswer(subject: string): [key: string, ask: (key: string) => void] {
  const [value, set] = useSearchState("answer");
  const [key = "", ...rest] = value.split(".");
  return [rest.join(".") === subject ? key : "", (next) => set(next === "" ? "" : `${next}.${subject}`)];
}
