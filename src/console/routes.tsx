import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { CrashPage } from "./pages/CrashPage.tsx";
import { NotFoundPage } from "./pages/NotFoundPage.tsx";
import { pageOf } from "./pages/pages.ts";
import { Shell } from "./shell/Shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, errorComponent: CrashPage });

const page = (path: string, component: (typeof pageOf)[keyof typeof pageOf]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component,
    validateSearch: (search: Record<string, unknown>) => search,
  });

const tree = root.addChildren([
  page("/", pageOf.start),
  page("/projects", pageOf.projects),
  page("/projects/$projectId/people", pageOf.people),
  page("/projects/$projectId/integrations", pageOf.integrations),
  page("/projects/$projectId/tools", pageOf.tools),
  page("/projects/$projectId/tools/$toolId", pageOf.tool),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPendingMinMs: 0,
  scrollRestoration: true,
});
