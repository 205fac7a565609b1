import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { html } from "./html.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";
import { page } from "./page-frame.ts";
import { docsFolder, documentOf, guidePaths, type Links, linksFrom } from "./site-pages.ts";

/** The documents of `docs/`, as pages of the site. They are read on the first request, and need no internet. */

export const textOfGuide = (path: string): string => readFileSync(new URL(documentOf(path), docsFolder), "utf8");

export function guidePage(path: string): string {
  const { title, sections, body } = renderGuide(path);
  return page({ path, title, sections }, html`<div class="guide">${body}</div>`);
}

export const renderGuide = (path: string): Rendered =>
  renderMarkdown(textOfGuide(path), (href) => resolveLink(path, href, linksFrom(path)));

const pathsByDocument = new Map(guidePaths.map((path) => [documentOf(path), path]));

/** Documents that the site has in another form. */
const elsewhere: Record<string, string> = { "errors.md": "errors", "operations.md": "" };

/** `../tools.md#runs` in `docs/steps/README.md` is the page `tools`, at that anchor. What the site lacks is null. */
export function resolveLink(path: string, href: string, links: Links): string | null {
  if (href.startsWith("#")) return href;
  const [file = "", anchor] = href.split("#");
  const name = posix.normalize(posix.join(posix.dirname(documentOf(path)), file));
  const behind = anchor === undefined ? "" : `#${anchor}`;
  if (name === "openapi.json") return links.server("latest/openapi.json");
  if (/\.(?:png|svg)$/.test(name) && !name.startsWith("..")) return links.page(name);
  const target = elsewhere[name] ?? pathsByDocument.get(name === "steps" ? "steps/README.md" : name);
  return target === undefined ? null : `${links.page(target)}${behind}`;
}
