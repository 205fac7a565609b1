import { iconLink, mark } from "../look/look.ts";
import { type Html, type HtmlPart, html } from "./html.ts";
import type { PageUrls } from "./parts.ts";

/** A part of a page, as the side navigation shows it. */
export interface NavGroup {
  title: string;
  anchor: string;
  links: { anchor: string; title: HtmlPart }[];
}

/** The frame around the content of every page. */
export function page(
  frame: { title: string; here: "reference" | "errors" | "guide"; urls: PageUrls; groups: NavGroup[] },
  content: HtmlPart,
): string {
  const { urls, here } = frame;
  const current = (name: string): Html => (name === here ? html` aria-current="page"` : html``);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${frame.title}</title>
${iconLink}
<link rel="stylesheet" href="${urls.style}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${urls.home}">${mark}<span>Signalbox</span></a>
<nav class="pages" aria-label="Pages"><ul>
<li><a href="${urls.reference}"${current("reference")}>Reference</a></li>
<li><a href="${urls.errors}"${current("errors")}>Errors</a></li>
<li><a href="${urls.openapi}">OpenAPI</a></li>
<li><a href="${urls.home}">Console</a></li>
</ul></nav>
</header>
<div class="frame">
<nav class="side" aria-label="On this page">${frame.groups.map(navGroup)}</nav>
<main id="main" tabindex="-1">
${content}
</main>
</div>
</body>
</html>
`.text;
}

const navGroup = (group: NavGroup): Html => html`<div class="group">
<a class="group-title" href="#${group.anchor}">${group.title}</a>
<ul>${group.links.map(({ anchor, title }) => html`<li><a href="#${anchor}">${title}</a></li>`)}</ul>
</div>`;
