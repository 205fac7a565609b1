import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { CrashPage } from "./pages/CrashPage.tsx";
import { NotFoundPage } from "./pages/NotFoundPage.tsx";
import { pageAt } from "./pages/page-scripts.ts";
import { Shell } from "./shell/Shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, errorComponent: CrashPage });

const tree = root.addChildren(
  Object.entries(pageAt).map(([path, load]) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyRouteComponent(async () => ({ default: await load() })),
      validateSearch: (search: Record<string, unknown>) => search,
    }),
  ),
);

export const router = createRouter({
  routeTree: tree,
  defaultPendingMinMs: 0,
  scrollRestoration: true,
  // Every member of the query is text, and reads in the address as it is: ?step=2.
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(Object.entries(search).filter(([, value]) => value !== undefined)).toString();
    return query === "" ? "" : `?${query}`;
  },
});
