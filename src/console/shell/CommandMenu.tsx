import { Suspense, useEffect, useState } from "react";
import { lazyWhenIdle } from "../ui/lazy-when-idle.ts";

const CommandDialog = lazyWhenIdle(async () => (await import("./CommandDialog.tsx")).CommandDialog);

const isAsked = ({ ctrlKey, metaKey, altKey, shiftKey, key, code }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && (key.toLowerCase() === "k" || code === "KeyK");

/** Ctrl-K: reaches every page, project, tool, run id, step and action by typing. */
export function CommandMenu() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isAsked(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    document.documentElement.addEventListener("keydown", onKeyDown);
    return () => document.documentElement.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <>
      <button type="button" className="command" onClick={() => setOpen(true)}>
        <span>
          Search<span className="unseen"> pages, tools and actions</span>
        </span>
        <kbd className="key">Ctrl K</kbd>
      </button>
      <Suspense>{isOpen ? <CommandDialog onClose={() => setOpen(false)} /> : null}</Suspense>
    </>
  );
}
