import { type Html, type HtmlPart, html } from "./html.ts";
import { block, heading, table } from "./parts.ts";

/**
 * The part of Markdown that our own guides use: headings, paragraphs, lists, tables, fenced blocks, `code`, **strong** and
 * links. All text is escaped. A link to another document of the repository stays text, since it is not served.
 */

export interface Rendered {
  title: string;
  parts: { anchor: string; title: string; body: Html }[];
  opening: Html;
}

/** A document with one title, then sections. */
export function renderMarkdown(text: string): Rendered {
  const [first = "", ...sections] = text.split(/^## /m);
  const [, title = "", opening = ""] = /^# (.*)\n([\s\S]*)$/.exec(first.trim()) ?? [];
  const parts = sections.map((section) => {
    const end = section.indexOf("\n");
    const name = section.slice(0, end).trim();
    return { anchor: anchorOf(name), title: name, body: blocks(section.slice(end)) };
  });
  return { title, parts, opening: blocks(opening) };
}

export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

const fence = "```";

/** Blank lines divide blocks, except within a fence. */
function blocks(text: string): Html {
  const found: Html[] = [];
  for (const [index, part] of `\n${text}`.split(`\n${fence}`).entries()) {
    const end = part.indexOf("\n");
    const [first, rest] = end < 0 ? [part, ""] : [part.slice(0, end), part.slice(end)];
    if (index % 2 === 1) {
      found.push(block(first === "sh" ? "Shell" : "Example", rest.trim(), "shell"));
      continue;
    }
    // What follows a fence's end on its line is nothing.
    const paragraphs = (index === 0 ? part : rest).split("\n\n").filter((each) => each.trim() !== "");
    found.push(...paragraphs.map((each) => oneBlock(each.trim())));
  }
  return html`${found}`;
}

function oneBlock(text: string): Html {
  const lines = text.split("\n");
  const [first = ""] = lines;
  if (first.startsWith("### ")) {
    const title = first.slice(4);
    const rest = lines.slice(1).join("\n").trim();
    return html`${heading(3, anchorOf(title), inline(title))}${rest === "" ? null : oneBlock(rest)}`;
  }
  if (first.startsWith("|")) return tableOf(lines);
  if (/^\d+\. /.test(first)) return html`<ol>${itemsOf(text, /^\d+\. /m)}</ol>`;
  if (first.startsWith("- ")) return html`<ul>${itemsOf(text, /^- /m)}</ul>`;
  return html`<p>${inline(lines.join(" "))}</p>`;
}

/** An item may go on over several lines. */
const itemsOf = (text: string, mark: RegExp): Html[] =>
  text
    .split(mark)
    .slice(1)
    .map((item) => html`<li>${inline(item.trim().replace(/\s+/g, " "))}</li>`);

function tableOf([head = "", , ...rows]: readonly string[]): Html {
  const cells = (row: string) =>
    row
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim());
  const names = cells(head);
  return table(
    "plain",
    names[0] ?? "",
    names,
    rows.map((row) => cells(row).map(inline)),
  );
}

const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()[\]\s]+)\)/g;

function inline(text: string): Html {
  const parts: HtmlPart[] = [];
  let done = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, strong, label, href = ""] = match;
    parts.push(text.slice(done, match.index));
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`);
    else if (/^(https:\/\/|#)/.test(href)) parts.push(html`<a href="${href}" rel="noreferrer">${label ?? ""}</a>`);
    else parts.push(label ?? "");
    done = match.index + whole.length;
  }
  return html`${parts}${text.slice(done)}`;
}
