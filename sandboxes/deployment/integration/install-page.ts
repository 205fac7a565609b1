import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import type { Installation } from "../records.ts";
import { findMembership, requireOwner, type World } from "../world.ts";
import { escapeHtml, page, readForm, redirectTo } from "./html.ts";
import type { Installations } from "./installations.ts";

/** What the installation flow works with; `userId` is the person in front of the browser. */
export interface InstallFlow {
  world: World;
  installations: Installations;
  baseUrl: string;
  userId: string;
}

/** The consent page of the pop-up: who gets access, for which account, to which projects. */
export function showInstallPage(flow: InstallFlow, call: SandboxCall): SandboxAnswer {
  const { world, installations, userId } = flow;
  const { registration } = installations;
  const wanted = call.query.get("redirect_uri");
  if (wanted !== null && !isAllowedRedirect(installations, wanted)) {
    return page("Invalid redirect", "<p>This redirect address is not registered for the integration.</p>", 400);
  }
  const user = world.users.find(userId);
  const owners = ownersOf(world, userId).map((id) => requireOwner(world, id));
  const radios = owners
    .map(
      ({ id, name, team }, index) =>
        `<label><input type="radio" name="owner" value="${id}"${index === 0 ? " checked" : ""}> ` +
        `${escapeHtml(name)} (${team ? "team" : "personal account"})</label>`,
    )
    .join("\n");
  const checkboxes = owners
    .map(
      ({ id, name }) =>
        `<fieldset><legend>Projects of ${escapeHtml(name)}</legend>\n${projectBoxes(world, id)}</fieldset>`,
    )
    .join("\n");
  return page(
    `Install ${registration.name}`,
    `<p>You are signed in as <strong>${escapeHtml(user?.email ?? "")}</strong>.
<strong>${escapeHtml(registration.name)}</strong> asks for:</p>
<ul>${registration.scopes.map((scope) => `<li>${escapeHtml(describeScope(scope))}</li>`).join("")}</ul>
<form method="post" action="${escapeHtml(flow.baseUrl + call.path)}">
<input type="hidden" name="state" value="${escapeHtml(call.query.get("state") ?? "")}">
<input type="hidden" name="source" value="${call.query.get("source") === "marketplace" ? "marketplace" : "external"}">
<input type="hidden" name="redirect_uri" value="${escapeHtml(wanted ?? registration.redirectUri)}">
<fieldset><legend>Account</legend>
${radios}
</fieldset>
<fieldset><legend>Access</legend>
<label><input type="radio" name="access" value="all" checked> All projects</label>
<label><input type="radio" name="access" value="selected"> Only the projects chosen below</label>
<details><summary>Choose projects</summary>
${checkboxes}
</details>
</fieldset>
<p><button class="main" name="decision" value="install">Install</button>
<button name="decision" value="cancel">Cancel</button></p>
</form>`,
  );
}

/** Back to the integration, with a code for its server to exchange. */
export function install(flow: InstallFlow, call: SandboxCall): SandboxAnswer {
  const { world, installations, baseUrl, userId } = flow;
  const form = readForm(call.body);
  if (form.get("decision") !== "install") {
    return page("Nothing was installed", "<p>The integration has no access. You can close this window.</p>");
  }
  const redirectUri = form.get("redirect_uri") ?? installations.registration.redirectUri;
  const ownerId = form.get("owner") ?? "";
  const isOwn = ownersOf(world, userId).includes(ownerId);
  if (!isOwn || !isAllowedRedirect(installations, redirectUri)) {
    return page("Installation failed", "<p>Choose one of your accounts and start again.</p>", 400);
  }
  const projects = form.get("access") === "selected" ? ownProjects(world, ownerId, form.getAll("project")) : null;
  if (projects?.length === 0) return page("Installation failed", "<p>Choose at least one project.</p>", 400);
  const source: Installation["source"] = form.get("source") === "marketplace" ? "marketplace" : "external";
  const teamId = world.teams.find(ownerId) ? ownerId : null;
  const wish = { userId, ownerId, teamId, projects, source };
  const { installation, code } = installations.install(wish, redirectUri, world.clock.now());
  const target = new URL(redirectUri);
  target.searchParams.set("code", code);
  target.searchParams.set("configurationId", installation.id);
  if (teamId) target.searchParams.set("teamId", teamId);
  // An installation that was begun at the vendor's marketplace carries no state.
  const state = form.get("state");
  if (state && source === "external") target.searchParams.set("state", state);
  target.searchParams.set("source", source);
  target.searchParams.set("next", `${baseUrl}/integrations/${installations.registration.slug}/installed`);
  return redirectTo(target.href);
}

export const showInstalledPage = (): SandboxAnswer =>
  page("Installed", "<p>The integration is installed. You can close this window.</p>");

/** The registered address counts; on this machine any port will do, so that one registration serves every developer. */
export function isAllowedRedirect({ registration }: Installations, uri: string): boolean {
  if (uri === registration.redirectUri) return true;
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

/** Teams first: that is what most people connect. */
function ownersOf(world: World, userId: string): string[] {
  const teams = [...world.teams.newestFirst()].reverse();
  const own = teams.filter(({ id }) => {
    const membership = findMembership(world, id, userId);
    return membership?.confirmed && membership.role === "OWNER";
  });
  return [...own.map(({ id }) => id), userId];
}

const ownProjects = (world: World, ownerId: string, ids: string[]) =>
  ids.filter((id) => world.projects.find(id)?.ownerId === ownerId);

const projectBoxes = (world: World, ownerId: string) =>
  [...world.projects.newestFirst()]
    .filter((project) => project.ownerId === ownerId)
    .map(({ id, name }) => `<label><input type="checkbox" name="project" value="${id}"> ${escapeHtml(name)}</label>`)
    .join("\n") || '<p class="note">No projects.</p>';

const scopeWords: Readonly<Record<string, string>> = {
  deployment: "deployments, with their build logs and files",
  project: "projects, and the domains of each",
  "global-project-env-vars": "all environment variables",
  domain: "domains",
  "integration-configuration": "this installation",
  team: "the team",
  user: "your user",
};

function describeScope(scope: string): string {
  const [access, name = ""] = scope.split(":");
  return `${access === "read" ? "Read" : "Read and change"} ${scopeWords[name] ?? name.replaceAll("-", " ")}`;
}
