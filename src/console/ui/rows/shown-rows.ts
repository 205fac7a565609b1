import { type RefObject, useLayoutEffect, useState } from "react";

/** Which rows of a long list are made, where all have the same height. */
export interface ShownRows {
  first: number;
  /** The one after the last. */
  end: number;
}

/** Rows come and go in blocks: most scroll events change nothing. */
const block = 4;
/** As many rows are ready beyond each edge. */
const ahead = 12;

/** `above` is what has been scrolled past, in pixels from the top of the list. */
export function rowsWithin(above: number, height: number, rowPixels: number, count: number): ShownRows {
  const first = Math.floor((above / rowPixels - ahead) / block) * block;
  const end = Math.ceil(((above + height) / rowPixels + ahead) / block) * block;
  return { first: Math.max(0, Math.min(first, count)), end: Math.max(0, Math.min(end, count)) };
}

/** The rows on screen of a list that begins at `top` of the page, or at the top of a box that scrolls. */
export function useShownRows(
  count: number,
  rowPixels: number,
  start: { top: number } | { box: RefObject<HTMLElement | null> },
): ShownRows {
  const [shown, setShown] = useState<ShownRows>({ first: 0, end: Math.min(count, 2 * ahead) });
  const top = "top" in start ? start.top : 0;
  const boxRef = "box" in start ? start.box : null;
  useLayoutEffect(() => {
    const box = boxRef?.current;
    const look = () => {
      const [above, height] = box ? [box.scrollTop, box.clientHeight] : [window.scrollY - top, window.innerHeight];
      const next = rowsWithin(above, height, rowPixels, count);
      setShown((before) => (before.first === next.first && before.end === next.end ? before : next));
    };
    look();
    const target = box ?? window;
    target.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      target.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }, [boxRef, top, rowPixels, count]);
  // A list may have become shorter since.
  return { first: Math.min(shown.first, count), end: Math.min(shown.end, count) };
}
