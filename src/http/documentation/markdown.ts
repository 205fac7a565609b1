import { type Html, type HtmlPart, html } from "./html.ts";
import { block, colouredJson, heading, table } from "./page-parts.ts";

/**
 * The part of Markdown that our documents use: headings, paragraphs, lists (nested ones, too), tables, fenced blocks, images, `code`,
 * **strong**, *emphasis* and links. All text is escaped. Links to other documents become links to their pages. Written by hand, because
 * a library returns one text of markup that we would have to trust, while blocks, tables and headings are those of `page-parts.ts`.
 */

export interface Rendered {
  title: string;
  sections: { anchor: string; title: string }[];
  body: Html;
}

/** Where a link or an image of the document leads on the site, or null where the site does not have it. */
export type Resolve = (href: string) => string | null;

export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const lines = withoutComments(text).split("\n");
  const title = plainText(lines.find((line) => line.startsWith("# "))?.slice(2) ?? "");
  const sections = headingsOf(text, 2).map((name) => ({ anchor: anchorOf(name), title: plainText(name) }));
  return { title, sections, body: html`${blocks(lines, resolve)}` };
}

const withoutComments = (text: string): string => {
  const [first = "", ...rest] = text.split("<!--");
  return first + rest.map((part) => part.slice(part.indexOf("-->") + 3)).join("");
};

/** The headings of one level, outside of fenced blocks. */
export const headingsOf = (text: string, level: 2 | 3): string[] =>
  text
    .split("```")
    .filter((_, index) => index % 2 === 0)
    .flatMap((part) => part.split("\n"))
    .filter((line) => line.startsWith(`${"#".repeat(level)} `))
    .map((line) => line.slice(level + 1).trim());

/** As code hosts make it, so that one link works on both. */
export const anchorOf = (title: string): string =>
  plainText(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

export const plainText = (text: string): string =>
  text.replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, "$1").replace(/[`*]/g, "");

const languages: Record<string, string> = {
  sh: "Shell",
  json: "JSON",
  yaml: "YAML",
  ts: "TypeScript",
  toml: "TOML",
  js: "JavaScript",
  http: "HTTP",
  sql: "SQL",
};

const item = /^(?:[-*]|\d+\.) /;
const isBlank = (line: string): boolean => line.trim() === "";
const indentOf = (line: string): number => line.length - line.trimStart().length;

function blocks(lines: readonly string[], resolve: Resolve): Html[] {
  const found: Html[] = [];
  let at = 0;
  const lineAt = (index: number): string => lines[index] ?? "";
  const takeWhile = (isMore: (line: string, index: number) => boolean): string[] => {
    const start = at;
    while (at < lines.length && isMore(lineAt(at), at)) at += 1;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lineAt(at);
    if (isBlank(line)) at += 1;
    else if (line.startsWith("```")) {
      at += 1;
      const inside = takeWhile((each) => !each.startsWith("```"));
      at += 1;
      found.push(fenced(line.slice(3).trim(), inside.join("\n")));
    } else if (line.startsWith("#")) {
      at += 1;
      found.push(headingOf(line, resolve));
    } else if (line.startsWith("|"))
      found.push(
        tableOf(
          takeWhile((each) => each.startsWith("|")),
          resolve,
        ),
      );
    else if (line.startsWith("> ")) {
      const quoted = takeWhile((each) => each.startsWith(">")).map((each) => each.replace(/^> ?/, ""));
      found.push(html`<blockquote>${blocks(quoted, resolve)}</blockquote>`);
    } else if (item.test(line)) {
      // An item goes on over indented lines, and over blank lines before an indented line or another item.
      const isMore = (each: string, index: number): boolean => {
        const next = lineAt(index + 1);
        return isBlank(each) ? indentOf(next) > 1 || item.test(next) : item.test(each) || indentOf(each) > 1;
      };
      found.push(listOf(takeWhile(isMore), resolve));
    } else {
      const isParagraph = (each: string, index: number): boolean =>
        !isBlank(each) && (index === at || !(each.startsWith("```") || each.startsWith("|") || item.test(each)));
      const start = at;
      const text = takeWhile((each, index) => index === start || isParagraph(each, index));
      found.push(html`<p>${inline(text.join(" "), resolve)}</p>`);
    }
  }
  return found;
}

function fenced(info: string, text: string): Html {
  const [language = ""] = info.split(" ");
  const caption = languages[language] ?? (language === "" || language === "text" ? "Text" : language);
  if (language === "json") return block(caption, colouredJson(text), "json");
  return block(caption, text, language === "sh" ? "shell" : "plain");
}

function headingOf(line: string, resolve: Resolve): Html {
  const level = /^#+/.exec(line)?.[0].length ?? 1;
  const title = line.slice(level).trim();
  if (level === 1) return html`<h1>${inline(title, resolve)}</h1>`;
  const id = anchorOf(title);
  return html`<div class="anchor" id="${id}">${heading(level === 2 ? 2 : level === 3 ? 3 : 4, id, inlineWithoutLinks(title))}</div>`;
}

function listOf(lines: readonly string[], resolve: Resolve): Html {
  const items: string[][] = [];
  for (const line of lines) {
    if (item.test(line)) items.push([line.replace(item, "")]);
    else items.at(-1)?.push(line.replace(/^ {1,3}/, ""));
  }
  const shown = items.map((each) => {
    const end = each.findIndex(
      (line, index) => index > 0 && (isBlank(line) || item.test(line) || line.startsWith("```")),
    );
    const text = end < 0 ? each : each.slice(0, end);
    const rest = end < 0 ? [] : each.slice(end);
    return html`<li>${inline(text.map((line) => line.trim()).join(" "), resolve)}${blocks(rest, resolve)}</li>`;
  });
  return /^\d/.test(lines[0] ?? "") ? html`<ol>${shown}</ol>` : html`<ul>${shown}</ul>`;
}

function tableOf([head = "", , ...rows]: readonly string[], resolve: Resolve): Html {
  const cells = (row: string): string[] =>
    row
      .replace(/^\||\|\s*$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
  return table(
    "doc",
    null,
    cells(head).map((cell) => inline(cell, resolve)),
    rows.map((row) => cells(row).map((cell) => inline(cell, resolve))),
  );
}

const marks =
  /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|!\[([^[\]]*)\]\(([^()\s]+)\)|\[((?:[^[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)|<(https?:[^<>\s]+)>/g;

function inline(text: string, resolve: Resolve): Html {
  const parts: HtmlPart[] = [];
  let done = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, strong, emphasis, alt, image, label, href, address] = match;
    parts.push(text.slice(done, match.index));
    done = match.index + whole.length;
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${inline(strong, resolve)}</strong>`);
    else if (emphasis !== undefined) parts.push(html`<em>${inline(emphasis, resolve)}</em>`);
    else if (image !== undefined) parts.push(imageOf(alt ?? "", resolve(image)));
    else if (address !== undefined) parts.push(html`<a href="${address}" rel="noreferrer">${address}</a>`);
    else parts.push(linkOf(label ?? "", href ?? "", resolve));
  }
  return html`${parts}${text.slice(done)}`;
}

const inlineWithoutLinks = (title: string): Html =>
  inline(title.replace(/\[([^[\]]*)\]\([^()\s]*\)/g, "$1"), () => null);

const imageOf = (alt: string, src: string | null): HtmlPart =>
  src === null ? alt : html`<img src="${src}" alt="${alt}" loading="lazy">`;

function linkOf(label: string, href: string, resolve: Resolve): Html {
  const shown = inline(label, () => null);
  const target = /^https?:/.test(href) ? href : resolve(href);
  if (target === null) return shown;
  return /^https?:/.test(target)
    ? html`<a href="${target}" rel="noreferrer">${shown}</a>`
    : html`<a href="${target}">${shown}</a>`;
}
