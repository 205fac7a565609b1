import type { ComponentType } from "react";

/** Which page stands at which address of `paths.ts`. Each is loaded when it is first opened. */
export const pageAt: Record<string, () => Promise<ComponentType>> = {
  "/": async () => (await import("./StartPage.tsx")).StartPage,
  "/projects": async () => (await import("./ProjectsPage.tsx")).ProjectsPage,
  "/organization": async () => (await import("./organization/OrganizationPage.tsx")).OrganizationPage,
  "/projects/$projectId": async () => (await import("./home/HomePage.tsx")).HomePage,
  "/projects/$projectId/people": async () => (await import("./people/PeoplePage.tsx")).PeoplePage,
  "/projects/$projectId/integrations": async () =>
    (await import("./integrations/IntegrationsPage.tsx")).IntegrationsPage,
  "/projects/$projectId/limits": async () => (await import("./limits/LimitsPage.tsx")).LimitsPage,
  "/projects/$projectId/audit": async () => (await import("./audit/AuditPage.tsx")).AuditPage,
  "/projects/$projectId/tools": async () => (await import("./tools/ToolListPage.tsx")).ToolListPage,
  "/projects/$projectId/tools/$toolId": async () => (await import("./tools/ToolPage.tsx")).ToolPage,
  "/projects/$projectId/inbox": async () => (await import("./inbox/InboxPage.tsx")).InboxPage,
  "/projects/$projectId/runs": async () => (await import("./runs/RunListPage.tsx")).RunListPage,
  "/projects/$projectId/runs/$runId": async () => (await import("./runs/detail/RunPage.tsx")).RunPage,
  "/projects/$projectId/deployments": async () => (await import("./deployments/DeploymentsPage.tsx")).DeploymentsPage,
  "/projects/$projectId/reports": async () => (await import("./reports/ReportsPage.tsx")).ReportsPage,
  "/projects/$projectId/agents": async () => (await import("./agents/AgentListPage.tsx")).AgentListPage,
  "/projects/$projectId/agents/$agentId": async () => (await import("./agents/AgentPage.tsx")).AgentPage,
  "/projects/$projectId/schedules": async () => (await import("./schedules/SchedulesPage.tsx")).SchedulesPage,
};

/** Asks for the script of the page at this address, before the program is there that shows it. */
export function fetchPage(address: string): void {
  const found = Object.keys(pageAt).find((path) => new RegExp(`^${path.replace(/\$\w+/g, "[^/]+")}/?$`).test(address));
  if (found !== undefined) void pageAt[found]?.().catch(() => {});
}
