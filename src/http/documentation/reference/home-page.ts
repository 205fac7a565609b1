import { operations } from "../../../api/index.ts";
import { areas } from "../../../api/reference/area-titles.ts";
import type { Region } from "../../../kernel/regions.ts";
import { systems } from "../../../systems/index.ts";
import { contractVersion } from "../../contract-version.ts";
import { type Html, html } from "../html.ts";
import { page } from "../page-frame.ts";
import { anchorOf, operationUrl } from "../page-parts.ts";
import { areaPath, guideGroups, type Links, linksFrom } from "../site-pages.ts";

/** The first page: what to read first, every guide, and every operation. */
export function homePage(baseUrl: string, region: Region): string {
  const links = linksFrom("");
  const sections = [
    { anchor: "guides", title: "Guides" },
    { anchor: "operations", title: "All operations" },
  ];
  return page({ path: "", title: "Documentation", sections }, [
    hero(baseUrl, region, links),
    allGuides(links),
    allOperations(links),
  ]);
}

const products = new Intl.ListFormat("en-GB").format(systems.map(({ guide, vendor }) => guide?.title ?? vendor));

const hero = (baseUrl: string, region: Region, links: Links): Html => html`
<div class="hero">
<h1>Signalbox documentation</h1>
<p class="lead">Build tools from steps that call ${products}. Run them from the console, the API, the
command line, an AI assistant or a schedule. Signalbox handles sign-in, rate limits, retries and crashes, and records who did what.</p>
<ul class="cards">
${card(links, "quickstart", "Quickstart", "From an empty folder to your first run, in five minutes.")}
${card(links, "concepts", "Concepts", "Organization, project, connection, step, tool, run and agent in one picture.")}
${card(links, "api", "Use the API", "Authentication, lists, errors, idempotency and rate limits.")}
</ul>
<dl class="card">
<div><dt>Base address</dt><dd><code class="pick">${baseUrl}</code></dd></div>
<div><dt>Region</dt><dd><span class="region">${region}</span></dd></div>
<div><dt>Version</dt><dd><code>latest</code>, dated <time>${contractVersion}</time></dd></div>
</dl>
</div>`;

const card = (links: Links, path: string, title: string, text: string): Html =>
  html`<li><a href="${links.page(path)}"><strong>${title}</strong> <span>${text}</span></a></li>`;

const allGuides = (links: Links): Html => html`
<section id="guides" aria-label="Guides">
<h2><a href="#guides">Guides</a></h2>
<div class="columns">${guideGroups.map(
  ({ title, pages }) => html`
<div><h3>${title}</h3><ul>${pages.map((each) => html`<li><a href="${links.page(each.path)}">${each.title}</a></li>`)}</ul></div>`,
)}</div>
</section>`;

/** Each has the anchor that earlier versions of this page had for it. */
const allOperations = (links: Links): Html => html`
<section id="operations" aria-label="All operations">
<h2><a href="#operations">All operations</a></h2>
${[...Map.groupBy(operations, (operation) => operation.area)].map(
  ([area, list]) => html`
<h3><a href="${links.page(areaPath(area))}">${areas[area].title}</a></h3>
<ul class="operations">${list.map(
    (each) =>
      html`<li id="${anchorOf(each)}"><a href="${operationUrl(each, links)}">${each.summary}</a> <code>${each.path}</code></li>`,
  )}</ul>`,
)}
</section>`;
