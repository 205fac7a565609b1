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
  /** The dialog that connects an account: of a system, or the account with this id once more; without either, it asks for the system. */
  connect: (projectId: string, what = "1") =>
    `${within("integrations")(projectId)}?connect=${encodeURIComponent(what)}`,
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
