import { useCallback, useEffect, useRef, useState } from "react";
import { usePerson } from "./same-person.ts";
import { useProjectId } from "./use-project.ts";

/** State that survives a reload, kept in this browser for one person and one project until it is cleared. */
export function useDraft<T>(name: string, initial: T): [value: T, set: (value: T) => void, clear: () => void] {
  const key = `${useDraftPrefix()}${name}`;
  const first = useRef(initial);
  const [value, setValue] = useState<T>(() => readDraft<T>(key) ?? initial);
  useEffect(() => setValue(readDraft<T>(key) ?? first.current), [key]);
  const set = useCallback(
    (next: T) => {
      setValue(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // A full or forbidden storage costs the draft, not the page.
      }
    },
    [key],
  );
  const clear = useCallback(() => {
    localStorage.removeItem(key);
    setValue(first.current);
  }, [key]);
  return [value, set, clear];
}

/** Gives a draft another name: what was typed before a thing existed goes with it. */
export function useMoveDraft(): (from: string, to: string) => void {
  const prefix = useDraftPrefix();
  return (from, to) => {
    try {
      const text = localStorage.getItem(prefix + from);
      if (text !== null) localStorage.setItem(prefix + to, text);
      localStorage.removeItem(prefix + from);
    } catch {
      // As above.
    }
  };
}

const useDraftPrefix = (): string => `signalbox.draft.${usePerson()}.${useProjectId() ?? "-"}.`;

function readDraft<T>(key: string): T | null {
  try {
    const text = localStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}
