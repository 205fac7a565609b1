import { Link } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

/** A link within the console, by its address from `paths.ts`. */
export function AppLink({
  to,
  ref,
  ...rest
}: { to: string; ref?: Ref<HTMLAnchorElement> } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const [path, query] = to.split("?");
  const search = Object.fromEntries(new URLSearchParams(query ?? ""));
  return (
    <Link
      ref={ref as never}
      to={path as never}
      search={search as never}
      activeOptions={{ exact: true, includeSearch: false }}
      {...(rest as object)}
    />
  );
}
