import { iconLink, mark } from "../look/shared-style.ts";
import { type Html, type HtmlPart, html } from "./html.ts";
import { linksFrom, type SiteGroup, type SitePage, siteGroups } from "./site-pages.ts";

/** A part of a page, as the sidebar shows it below the page. */
export interface Section {
  anchor: string;
  title: HtmlPart;
}

export interface Frame {
  /** Below `/latest/documentation/`; empty for the first page. */
  path: string;
  title: string;
  sections: Section[];
}

/** The frame around the content of every page: head, search, sidebar, and the way to the next page. */
export function page(frame: Frame, content: HtmlPart): string {
  const links = linksFrom(frame.path);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${frame.title} · Signalbox documentation</title>
${iconLink}
<link rel="stylesheet" href="${links.page("style.css")}">
<script src="${links.server("sign-in/script/scheme.js")}"></script>
<script type="module" src="${links.page("script.js")}"></script>
</head>
<body data-site="${links.page("")}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${links.page("")}">${mark}<span>Signalbox</span> <span class="brand-part">Docs</span></a>
<search class="search" hidden><input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list"><ul id="found" role="listbox" aria-label="Pages found" hidden></ul></search>
<nav class="pages" aria-label="Other pages"><ul>
<li><a href="${links.server("latest/openapi.json")}">OpenAPI</a></li>
<li><a href="${links.server("")}">Console</a></li>
</ul></nav>
</header>
<div class="frame">
<input class="menu-switch" type="checkbox" id="menu" aria-label="Show all pages"><label class="menu" for="menu">All pages</label>
<nav class="side" aria-label="Documentation">${siteGroups.map((group) => navGroup(group, frame))}</nav>
<main id="main" tabindex="-1">
${content}
${neighbours(frame.path)}
</main>
</div>
</body>
</html>
`.text;
}

const navGroup = (group: SiteGroup, frame: Frame): Html => html`<div class="group">
<p class="group-title">${group.title}</p>
<ul>${group.pages.map((each) => navLink(each, frame))}</ul>
</div>`;

function navLink({ path, title }: SitePage, frame: Frame): Html {
  const href = linksFrom(frame.path).page(path);
  if (path !== frame.path) return html`<li><a href="${href}">${title}</a></li>`;
  const inside = frame.sections.map((section) => html`<li><a href="#${section.anchor}">${section.title}</a></li>`);
  return html`<li><a href="${href}" aria-current="page">${title}</a>${
    inside.length === 0 ? null : html`<ul class="sections">${inside}</ul>`
  }</li>`;
}

/** The pages before and after this one, in the order of the sidebar. */
function neighbours(path: string): Html {
  const all = siteGroups.flatMap(({ pages }) => pages);
  const index = all.findIndex((each) => each.path === path);
  const before = index > 0 ? all[index - 1] : undefined;
  const after = all[index + 1];
  const links = linksFrom(path);
  const to = (each: SitePage | undefined, kind: string, word: string): Html | null =>
    each === undefined
      ? null
      : html`<a class="${kind}" href="${links.page(each.path)}"><span>${word}</span> ${each.title}</a>`;
  return html`<nav class="neighbours" aria-label="Next and previous page">${to(before, "before", "Previous")}${to(after, "after", "Next")}</nav>`;
}
