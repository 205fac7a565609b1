import { actionRoles, type Role, scopeName } from "../../access/permissions.ts";
import { contractVersion } from "../version.ts";
import { conventions } from "./conventions.ts";
import type { NavGroup } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { block, curl, type Here, heading, jsonBlock, problemLink, sentence, table } from "./parts.ts";

/** What a newcomer reads before the first operation. */
export function guide(here: Here): Html {
  return html`${hero(here)}${firstCall(here)}${authentication(here)}${permissions(here)}${conventions(here)}`;
}

export const guideGroups: NavGroup[] = [
  {
    title: "Start here",
    anchor: "start",
    links: [
      { anchor: "first-call", title: "Your first call" },
      { anchor: "authentication", title: "Authentication" },
      { anchor: "permissions", title: "Roles and permissions" },
    ],
  },
  {
    title: "Conventions",
    anchor: "conventions",
    links: [
      { anchor: "requests", title: "Requests and answers" },
      { anchor: "lists", title: "Lists" },
      { anchor: "errors", title: "Errors" },
      { anchor: "idempotency", title: "Repeating a call safely" },
      { anchor: "rate-limits", title: "Rate limits" },
      { anchor: "request-ids", title: "Request ids" },
      { anchor: "regions", title: "Regions" },
      { anchor: "other-addresses", title: "Other addresses" },
    ],
  },
];

const hero = ({ baseUrl, region }: Here): Html => html`
<div class="hero" id="start">
<h1>Signalbox API</h1>
<p class="lead">Govern projects and people with HTTP calls, and let programs and agents call marketing automation, a deployment
platform and web analytics through steps and tools that look after sign-in, limits, paging, errors and crashes. See afterwards
who did what.</p>
<dl class="card">
<div><dt>Base address</dt><dd><code class="pick">${baseUrl}</code></dd></div>
<div><dt>Region</dt><dd><span class="region">${region}</span></dd></div>
<div><dt>Version</dt><dd><code>latest</code>, dated <time>${contractVersion}</time></dd></div>
</dl>
</div>`;

const firstCall = ({ baseUrl }: Here): Html => html`
<section id="first-call" aria-label="Your first call">
${heading(2, "first-call", "Your first call")}
<div class="pair">
<div class="words">
<p>Ask who you are. The answer names your account, your organization, your key, and each project that you reach with your role
in it: the ids for every call that follows.</p>
<p>After <code>npm start</code> on a fresh machine, the first key is in <code>first-run.json</code> in the data folder. Later
you get one from <a href="#auth-keys-create"><code>auth/keys/create</code></a>, with an invite that you accept, or from the
operator.</p>
</div>
<div class="blocks">${block("Call", curl(`${baseUrl}/latest/auth/info`, "Bearer :<api_key>", {}), "shell")}</div>
</div>
</section>`;

const shapes: { header: string; use: string }[] = [
  { header: "Bearer <project_id>:<api_key>", use: "The usual one. Names the project that the call is about." },
  { header: "Bearer :<api_key>", use: "Where no project is needed, such as `projects/create` and `auth/info`." },
  {
    header: "<project_id>:<api_key>",
    use: "The first one without its first word. Role updates are often sent like this; every operation takes it.",
  },
  {
    header: "<project_id>:<api_key>:<region>",
    use: "Sent by older clients. The region must be the one in the key, `Bearer` may stand before it.",
  },
];

const authentication = ({ urls, region }: Here): Html => html`
<section id="authentication" aria-label="Authentication">
${heading(2, "authentication", "Authentication")}
<p>Every call carries an <code>Authorization</code> header with an API key, and most also name a project in it. Four shapes are
read, each on every operation:</p>
${table(
  "plain",
  "Shapes of the Authorization header",
  ["Authorization", "When"],
  shapes.map(({ header, use }) => [html`<code>${header}</code>`, sentence(use, urls)]),
)}
<p>An operation that needs no project ignores the one in the header, so a client may always send the same header. A key looks
like <code>sbk_${region}_…</code>: the region, 256 random bits and a checksum. It is checked against the store on every call, so a key
that was revoked, or whose owner was deactivated or lost a role, is refused on the very next one.</p>
</section>`;

const roleMeanings: Record<Role, string> = {
  viewer: "Reads the project and its people.",
  editor:
    "Everything a viewer does, and the daily work in the project. Today no operation asks for more than viewer and less than admin.",
  admin: "Everything an editor does, and manages the project, its people and its invites.",
};

const permissions = ({ urls }: Here): Html => html`
<section id="permissions" aria-label="Roles and permissions">
${heading(2, "permissions", "Roles and permissions")}
<div class="pair">
<div class="words">
<p>A role holds in one project. Invites and role updates grant it with a <strong>Permissions object</strong>: under
<code>items</code> one scope, <code>${scopeName}</code>; under <code>actions</code> the names below, each <code>true</code> or
<code>false</code>.</p>
${table(
  "plain",
  "Actions of the Permissions object",
  ["Action", "Grants"],
  Object.entries(actionRoles).map(([action, role]) => [
    html`<code>${action}</code>`,
    html`<strong>${role}</strong>. ${roleMeanings[role]}`,
  ]),
)}
<ul>
<li>What is absent or <code>false</code> is not granted; at least one action must be <code>true</code>.</li>
<li>Several add up, and the strongest names the role.</li>
<li>An update replaces the whole object; nothing of the old one stays.</li>
<li>An unknown name is refused with ${problemLink("validation_failed", urls)}: a typing error never grants more or less than you meant.</li>
</ul>
<p>The <strong>owner</strong> of the organization acts as admin in all of its projects, to repair what is left without one.</p>
</div>
<div class="blocks">${jsonBlock("A Permissions object: editor", {
  permissions: { items: { [scopeName]: { actions: { "role:editor": true } } } },
})}</div>
</div>
</section>`;
