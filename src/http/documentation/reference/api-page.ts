import { actionRoles, type Role, scopeName } from "../../../access/permissions.ts";
import type { Region } from "../../../kernel/regions.ts";
import { type Html, html } from "../html.ts";
import { page, type Section } from "../page-frame.ts";
import { block, type Here, heading, jsonBlock, problemLink, sentence, table } from "../page-parts.ts";
import { linksFrom } from "../site-pages.ts";
import { withBlanks } from "./call-samples.ts";
import { conventions } from "./conventions.ts";

/** What a newcomer reads before the first operation. */
export function apiPage(baseUrl: string, region: Region): string {
  const here = { baseUrl, region, links: linksFrom("api") };
  return page({ path: "api", title: "Use the API", sections: apiSections }, [
    hero,
    firstCall(here),
    authentication(here),
    permissions(here),
    conventions(here),
  ]);
}

export const apiSections: (Section & { title: string })[] = [
  { anchor: "first-call", title: "Your first call" },
  { anchor: "authentication", title: "Authentication" },
  { anchor: "permissions", title: "Roles and permissions" },
  { anchor: "requests", title: "Requests and responses" },
  { anchor: "lists", title: "Lists" },
  { anchor: "errors", title: "Errors" },
  { anchor: "idempotency", title: "Idempotency" },
  { anchor: "rate-limits", title: "Rate limits" },
  { anchor: "request-ids", title: "Request ids" },
  { anchor: "regions", title: "Regions" },
  { anchor: "versions", title: "Versions" },
  { anchor: "other-addresses", title: "Other addresses" },
];

const hero = html`
<div class="hero" id="start">
<h1>Use the API</h1>
<p class="lead">Every operation is a <code>POST</code> with a JSON object and an API key. This page has what all operations share.</p>
</div>`;

const firstCall = ({ baseUrl, links }: Here): Html => html`
<section id="first-call" aria-label="Your first call">
${heading(2, "first-call", "Your first call")}
<div class="pair">
<div class="words">
<p>Ask who you are. The response has your account, your organization, your key, and every project that you can use, with your role
in it. The calls that follow need these ids.</p>
<p>After <code>npm start</code> on a new machine, the first key is in <code>first-run.json</code> in the data folder. Later,
create keys in the console, or with ${sentence("`auth/keys/create`", links)}.</p>
</div>
<div class="blocks">${block(
  "curl",
  withBlanks(
    `curl -s ${baseUrl}/latest/auth/info \\\n  -H 'Authorization: Bearer :<api_key>' \\\n  -H 'Content-Type: application/json' \\\n  -d '{}'`,
  ),
  "shell",
)}
${block(
  "TypeScript",
  withBlanks(
    `import { Signalbox } from "signalbox/client";\n\nconst signalbox = new Signalbox({\n  baseUrl: "${baseUrl}",\n  apiKey: "<api_key>",\n  projectId: "<project_id>",\n});\nconst me = await signalbox.info();`,
  ),
  "ts",
)}</div>
</div>
</section>`;

const shapes: { header: string; use: string }[] = [
  { header: "Bearer <project_id>:<api_key>", use: "The usual form. It names the project of the call." },
  {
    header: "Bearer :<api_key>",
    use: "For operations that need no project, such as `projects/create` and `auth/info`. You can leave out the colon.",
  },
  { header: "<project_id>:<api_key>", use: "The usual form without `Bearer`. Every operation accepts it." },
  {
    header: "<project_id>:<api_key>:<region>",
    use: "Sent by older clients, with or without `Bearer`. The region must match the region of the key.",
  },
];

const authentication = ({ links, region }: Here): Html => html`
<section id="authentication" aria-label="Authentication">
${heading(2, "authentication", "Authentication")}
<p>Send an API key in the <code>Authorization</code> header. Most operations also need a project id in it. Every operation accepts
these forms:</p>
${table(
  "plain",
  "Forms of the Authorization header",
  ["Authorization", "Use"],
  shapes.map(({ header, use }) => [html`<code>${header}</code>`, sentence(use, links)]),
)}
<p>An operation that needs no project ignores the one in the header, so a client can always send the same header. A key looks
like <code>sbk_${region}_…</code>: the region, 256 random bits and a checksum. The server checks it on every call. If you revoke
a key, deactivate its owner or take a role away, the next call is refused.</p>
</section>`;

const roleMeanings: Record<Role, string> = {
  viewer: "Reads everything in the project except invites and the audit log.",
  editor: "Also runs and edits steps, tools, schedules, agents and connections, and approves and resolves runs.",
  admin: "Also manages the project, its people, invites, webhooks and connection policies, and reads the audit log.",
};

const permissions = ({ links }: Here): Html => html`
<section id="permissions" aria-label="Roles and permissions">
${heading(2, "permissions", "Roles and permissions")}
<div class="pair">
<div class="words">
<p>A person has one role in a project. Invites and role updates grant it with a <strong>Permissions object</strong>:
<code>items</code> has one scope, <code>${scopeName}</code>, and <code>actions</code> has the names below, each <code>true</code> or
<code>false</code>. The page of each operation says which role it requires.</p>
${table(
  "plain",
  "Actions of the Permissions object",
  ["Action", "Role"],
  Object.entries(actionRoles).map(([action, role]) => [
    html`<code>${action}</code>`,
    html`<strong>${role}</strong>. ${roleMeanings[role]}`,
  ]),
)}
<ul>
<li>An action that is absent or <code>false</code> is not granted. At least one action must be <code>true</code>.</li>
<li>If several actions are granted, the strongest decides the role.</li>
<li>An update replaces the whole object.</li>
<li>An unknown action returns ${problemLink("validation_failed", links)}, so a typing error never grants the wrong role.</li>
</ul>
<p>The <strong>owner</strong> of the organization has the admin role in all of its projects.</p>
</div>
<div class="blocks">${jsonBlock("A Permissions object: editor", {
  permissions: { items: { [scopeName]: { actions: { "role:editor": true } } } },
})}</div>
</div>
</section>`;
