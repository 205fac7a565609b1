import { useCallback, useEffect, useRef, useState } from "react";
import { usePerson } from "./same-person.ts";
import { useProjectId } from "./use-project.ts";

/**
 * State that survives a reload, kept in this browser for one person and one project until it is cleared. What is typed before the
 * server has said who is there is kept as soon as it has.
 */
export function useDraft<T>(name: string, initial: T): [value: T, set: (value: T) => void, clear: () => void] {
  const prefix = useDraftPrefix();
  const key = prefix === null ? null : `${prefix}${name}`;
  const first = useRef(initial);
  const early = useRef<{ value: T } | null>(null);
  const [value, setValue] = useState<T>(() => readDraft<T>(key) ?? initial);
  useEffect(() => {
    const typed = early.current;
    early.current = null;
    if (typed && key !== null) writeDraft(key, typed.value);
    else setValue(readDraft<T>(key) ?? first.current);
  }, [key]);
  const set = useCallback(
    (next: T) => {
      setValue(next);
      if (key === null) early.current = { value: next };
      else writeDraft(key, next);
    },
    [key],
  );
  const clear = useCallback(() => {
    early.current = null;
    if (key !== null) localStorage.removeItem(key);
    setValue(first.current);
  }, [key]);
  return [value, set, clear];
}

function writeDraft(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs the draft, not the page.
  }
}

/** Gives a draft another name: what was typed before a thing existed goes with it. */
export function useMoveDraft(): (from: string, to: string) => void {
  const prefix = useDraftPrefix();
  return (from, to) => {
    if (prefix === null) return;
    try {
      const text = localStorage.getItem(prefix + from);
      if (text !== null) localStorage.setItem(prefix + to, text);
      localStorage.removeItem(prefix + from);
    } catch {
      // As above.
    }
  };
}

/** Null until somebody is known. */
function useDraftPrefix(): string | null {
  const person = usePerson();
  const projectId = useProjectId() ?? "-";
  return person === "" ? null : `signalbox.draft.${person}.${projectId}.`;
}

function readDraft<T>(key: string | null): T | null {
  if (key === null) return null;
  try {
    const text = localStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}
