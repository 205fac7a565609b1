import { useRouter } from "@tanstack/react-router";
import { type AnchorHTMLAttributes, type FocusEvent, type MouseEvent, type Ref, useRef } from "react";

type AppLinkProps = { to: string; ref?: Ref<HTMLAnchorElement> } & AnchorHTMLAttributes<HTMLAnchorElement>;

/** Pointing at a link for so long means to follow it. */
const intentMilliseconds = 50;

/**
 * A link within the console, by its address from `paths.ts`. The router's own link computes its address again whenever the page
 * changes, which a list of runs cannot afford.
 */
export function AppLink({ to, ref, onClick, onMouseEnter, onMouseLeave, onFocus, ...rest }: AppLinkProps) {
  const router = useRouter();
  const intent = useRef<ReturnType<typeof setTimeout>>(undefined);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isForBrowser = event.metaKey || event.altKey || event.ctrlKey || event.shiftKey || event.button !== 0;
    if (event.defaultPrevented || isForBrowser || (rest.target ?? "_self") !== "_self") return;
    event.preventDefault();
    void router.navigate(locationOf(to));
  };
  return (
    <a
      {...rest}
      ref={ref}
      href={to}
      onClick={follow}
      onMouseEnter={(event) => {
        onMouseEnter?.(event);
        intent.current = setTimeout(prepare, intentMilliseconds);
      }}
      onMouseLeave={(event) => {
        onMouseLeave?.(event);
        clearTimeout(intent.current);
      }}
      onFocus={(event: FocusEvent<HTMLAnchorElement>) => {
        onFocus?.(event);
        prepare();
      }}
    />
  );

  /** The page's script is there when the link is followed. */
  function prepare(): void {
    void router.preloadRoute(locationOf(to)).catch(() => {});
  }
}

function locationOf(to: string): never {
  const [path, query] = to.split("?");
  return { to: path, search: Object.fromEntries(new URLSearchParams(query ?? "")) } as never;
}
