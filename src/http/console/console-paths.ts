/** The addresses at which the console is served, in the router's spelling. `src/console/paths.ts` makes links to them. */

const ofProject = [
  "people",
  "integrations",
  "tools",
  "runs",
  "inbox",
  "reports",
  "deployments",
  "agents",
  "schedules",
  "limits",
  "audit",
];
const withRecord = ["tools", "runs", "agents"];

export const consolePaths: string[] = [
  "/",
  "/projects",
  "/organization",
  "/projects/:project_id",
  ...ofProject.map((page) => `/projects/:project_id/${page}`),
  ...withRecord.map((page) => `/projects/:project_id/${page}/:record_id`),
];

/** Every other address below them, and of one word: the console says itself that there is no such page. */
export const unknownConsolePaths: string[] = ["/projects/*", "/organization/*", "/:page"];
