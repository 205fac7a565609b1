import { useEffect, useRef } from "react";
import { useWho } from "./use-who.ts";

/** One browser holds one session. When somebody else signs in, or the person signs out, its other pages begin again. */

const key = "signalbox.person";

function remember(person: string): void {
  try {
    localStorage.setItem(key, person);
  } catch {
    // Without storage a page learns it from its next read.
  }
}

function remembered(): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export const forgetPerson = (): void => remember("");

/** The id of the person who is signed in; until the server has said so, of the one who was here last. */
export function usePerson(): string {
  const known = useWho().data?.user_id;
  return known ?? remembered();
}

/** Begins the page again as soon as it belongs to another person than it was opened for. */
export function useSamePerson(): void {
  const person = useWho().data?.user_id;
  const first = useRef(person);
  useEffect(() => {
    if (person === undefined) return;
    first.current ??= person;
    if (person !== first.current) window.location.reload();
    remember(person);
    const onStorage = (event: StorageEvent) => {
      if (event.key === key && event.newValue !== person) window.location.reload();
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, [person]);
}
