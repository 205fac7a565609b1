import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import type { Installation } from "../records.ts";
import { eventNames } from "../webhooks/event-names.ts";
import { requireOwner } from "../world.ts";
import { uninstall } from "./configuration-routes.ts";
import { escapeHtml, page, readForm, redirectTo } from "./html.ts";
import type { InstallFlow } from "./install-page.ts";

/** The person's list of installed integrations: the switch that takes a grant away, or holds it back for a while. */
export function showInstallations({ world, installations }: InstallFlow): SandboxAnswer {
  const items = installations.all().map(({ id, ownerId, projects, disabledAt }) => {
    const { name } = requireOwner(world, ownerId);
    const reach = projects ? `${projects.length} chosen projects` : "all projects";
    return `<li><h2>${escapeHtml(installations.registration.name)} on ${escapeHtml(name)}</h2>
<p>${id}, ${reach}, ${disabledAt === null ? "enabled" : "disabled"}</p>
<form method="post" action="/dashboard/integrations/${id}">
<button name="action" value="${disabledAt === null ? "disable" : "enable"}">${disabledAt === null ? "Disable" : "Enable"}</button>
<button name="action" value="uninstall">Uninstall</button>
</form></li>`;
  });
  return page("Installed integrations", items.length > 0 ? `<ul>${items.join("\n")}</ul>` : "<p>None.</p>");
}

export function changeInstallation(flow: InstallFlow, call: SandboxCall, id: string): SandboxAnswer {
  const { world, installations, userId } = flow;
  const installation = installations.find(id);
  if (!installation) return page("Not found", "<p>There is no such installation.</p>", 404);
  const action = readForm(call.body).get("action");
  if (action === "uninstall") uninstall(world, installations, installation, userId);
  else if (action === "disable" || action === "enable") setDisabled(installation, action, world.clock.now());
  else return page("Unknown action", "<p>Use disable, enable or uninstall.</p>", 400);
  return redirectTo("/dashboard/integrations");
}

function setDisabled(installation: Installation, action: "disable" | "enable", now: number): void {
  installation.disabledAt = action === "disable" ? now : null;
  installation.updatedAt = now;
}

const offeredScopes = [
  "integration-configuration",
  "deployment",
  "project",
  "global-project-env-vars",
  "domain",
  "team",
  "user",
].flatMap((name) => [`read:${name}`, `read-write:${name}`]);

/** The integration's own registration: its redirect address and its webhook. */
export function showRegistration({ installations }: InstallFlow): SandboxAnswer {
  const { registration } = installations;
  const boxes = eventNames
    .map((name) => {
      const checked = registration.webhookEvents.includes(name) ? " checked" : "";
      return `<label><input type="checkbox" name="event" value="${name}"${checked}> ${name}</label>`;
    })
    .join("\n");
  const scopes = offeredScopes
    .map((name) => {
      const checked = registration.scopes.includes(name) ? " checked" : "";
      return `<label><input type="checkbox" name="scope" value="${name}"${checked}> ${name}</label>`;
    })
    .join("\n");
  return page(
    `Registration of ${registration.name}`,
    `<p>Client id <code>${registration.clientId}</code></p>
<form method="post">
<label>Redirect address <input type="url" name="redirect_uri" required value="${escapeHtml(registration.redirectUri)}"></label>
<label>Webhook address <input type="url" name="webhook_url" value="${escapeHtml(registration.webhookUrl ?? "")}"></label>
<fieldset><legend>Permissions</legend>
${scopes}
</fieldset>
<fieldset><legend>Webhook events</legend>
${boxes}
</fieldset>
<p><button class="main">Save</button></p>
</form>`,
  );
}

export function changeRegistration({ installations }: InstallFlow, call: SandboxCall): SandboxAnswer {
  const { registration } = installations;
  const form = readForm(call.body);
  const redirectUri = form.get("redirect_uri") ?? registration.redirectUri;
  const webhookUrl = form.get("webhook_url") || null;
  const events = form.getAll("event");
  const scopes = form.getAll("scope");
  if (!URL.canParse(redirectUri) || (webhookUrl !== null && !URL.canParse(webhookUrl))) {
    return page("Not saved", "<p>An address is not valid.</p>", 400);
  }
  if (!events.every((name) => eventNames.includes(name)))
    return page("Not saved", "<p>An event is not known.</p>", 400);
  if (!scopes.every((name) => offeredScopes.includes(name)))
    return page("Not saved", "<p>A permission is not known.</p>", 400);
  Object.assign(registration, { redirectUri, webhookUrl, webhookEvents: events });
  // A form that says nothing of permissions leaves them as they are. Installations keep theirs until they are confirmed.
  if (scopes.length > 0) registration.scopes = scopes;
  return redirectTo(call.path);
}
