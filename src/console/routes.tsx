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
  page("/organization", pageOf.organization),
  page("/projects/$projectId", pageOf.home),
  page("/projects/$projectId/people", pageOf.people),
  page("/projects/$projectId/integrations", pageOf.integrations),
  page("/projects/$projectId/limits", pageOf.limits),
  page("/projects/$projectId/audit", pageOf.audit),
  page("/projects/$projectId/tools", pageOf.tools),
  page("/projects/$projectId/tools/$toolId", pageOf.tool),
  page("/projects/$projectId/inbox", pageOf.inbox),
  page("/projects/$projectId/runs", pageOf.runs),
  page("/projects/$projectId/runs/$runId", pageOf.run),
  page("/projects/$projectId/deployments", pageOf.deployments),
  page("/projects/$projectId/reports", pageOf.reports),
  page("/projects/$projectId/agents", pageOf.agents),
  page("/projects/$projectId/agents/$agentId", pageOf.agent),
  page("/projects/$projectId/schedules", pageOf.schedules),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPendingMinMs: 0,
  scrollRestoration: true,
  // Every member of the query is text, and reads in the address as it is: ?step=2.
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(Object.entries(search).filter(([, value]) => value !== undefined)).toString();
    return query === "" ? "" : `?${query}`;
  },
});
