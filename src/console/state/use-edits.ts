import { useCallback, useEffect } from "react";
import { useDraft } from "./use-draft.ts";

/**
 * Changes of a saved record. They survive a reload, in this browser, until they are saved or undone. Members that nobody
 * changed show what is saved now, also when somebody else has changed them meanwhile.
 */
export function useEdits<T extends object>(name: string, saved: T) {
  const [kept, keep, undo] = useDraft<Partial<T> | null>(name, null);
  const isChanged = Object.entries(kept ?? {}).some(([member, value]) => !isEqual(value, saved[member as keyof T]));
  useEffect(() => {
    if (kept !== null && !isChanged) undo();
  }, [kept, isChanged, undo]);
  const edit = useCallback((change: Partial<T>) => keep({ ...kept, ...change }), [kept, keep]);
  return { value: { ...saved, ...kept } as T, isChanged, edit, undo };
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
