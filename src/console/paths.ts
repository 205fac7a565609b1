/** Every link of the console. A page's address is written here and nowhere else. */

const project = (projectId: string) => `/projects/${encodeURIComponent(projectId)}`;
const within = (part: string) => (projectId: string) => `${project(projectId)}/${part}`;
const oneOf = (part: string) => (projectId: string, id: string) =>
  `${project(projectId)}/${part}/${encodeURIComponent(id)}`;

export type ToolTab = "use" | "build" | "logs";

export const paths = {
  start: "/",
  projects: "/projects",
  home: project,
  people: within("people"),
  integrations: within("integrations"),
  tools: within("tools"),
  tool: (projectId: string, toolId: string, tab?: ToolTab) =>
    `${oneOf("tools")(projectId, toolId)}${tab ? `?tab=${tab}` : ""}`,
  runs: within("runs"),
  run: oneOf("runs"),
  inbox: within("inbox"),
  reports: within("reports"),
  deployments: within("deployments"),
  agents: within("agents"),
  agent: oneOf("agents"),
  schedules: within("schedules"),
  limits: within("limits"),
  audit: within("audit"),
  organization: "/organization",
  account: "/account",
  documentation: "/latest/documentation",
  signIn: (next: string) => `/sign-in?next=${encodeURIComponent(next)}`,
};
