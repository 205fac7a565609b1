import { paths } from "../paths.ts";
import { presentationOf, systemWithPage, systemWords } from "../state/systems.ts";

/** A page of a project: how the navigation and the command menu show it. */
export interface NavPage {
  title: string;
  /** Words by which the command menu finds it too. */
  also: string;
  to: (projectId: string) => string;
  group: "Work" | "Systems" | "Project";
}

export const navPages: NavPage[] = [
  { title: "Home", also: "overview dashboard start", to: paths.home, group: "Work" },
  {
    title: "Inbox",
    also: "approvals approve outcome unknown waiting reconnect failed deliveries",
    to: paths.inbox,
    group: "Work",
  },
  { title: "Tools", also: "workflows steps build", to: paths.tools, group: "Work" },
  { title: "Runs", also: "logs history executions", to: paths.runs, group: "Work" },
  { title: "Agents", also: "model assistant webhook events conversation", to: paths.agents, group: "Work" },
  { title: "Schedules", also: "cron clock timer recurring", to: paths.schedules, group: "Work" },
  {
    title: "Deployments",
    also: `builds releases deploy redeploy cancel build log ${presentationOf(systemWithPage("deployments"))?.words}`,
    to: paths.deployments,
    group: "Systems",
  },
  {
    title: "Reports",
    also: "analytics metrics figures traffic charts visitors csv",
    to: paths.reports,
    group: "Systems",
  },
  {
    title: "Integrations & API Keys",
    also: `connections accounts connect ${systemWords} policy`,
    to: paths.integrations,
    group: "Systems",
  },
  { title: "Limits", also: "quota rate gauge usage exhausted waiting", to: paths.limits, group: "Systems" },
  { title: "People", also: "members invites roles users", to: paths.people, group: "Project" },
  { title: "Audit log", also: "history changes verify export security", to: paths.audit, group: "Project" },
];
