import { operations } from "../../api/index.ts";
import type { Operation } from "../../calls/define.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { type Html, type HtmlPart, html } from "./html.ts";

/** The small pieces that both pages consist of. */

/** Links between the pages: relative, so that a proxy may serve them under a path. */
export interface PageUrls {
  /** The console. */
  home: string;
  reference: string;
  errors: string;
  style: string;
  openapi: string;
}

/** The address and the region of the page, for its examples. */
export interface Here {
  baseUrl: string;
  region: Region;
  urls: PageUrls;
}

export const shortPath = (operation: Operation): string => operation.path.slice("/latest/".length);

/** The anchor of an operation on the reference page. */
export const anchorOf = (operation: Operation): string =>
  shortPath(operation).replace(/[{}]/g, "").replaceAll("/", "-");

const anchorsByName = new Map(operations.map((operation) => [shortPath(operation), anchorOf(operation)]));

/** A sentence of the catalogue or the contract: `backticks` become code, and operation names become links. */
export function sentence(text: string, urls: PageUrls): Html {
  const parts = text.split(/`([^`]+)`/).map((part, index): HtmlPart => {
    if (index % 2 === 0) return part;
    const anchor = anchorsByName.get(part);
    if (anchor === undefined) return html`<code>${part}</code>`;
    return html`<a href="${urls.reference}#${anchor}"><code>${part}</code></a>`;
  });
  return html`${parts}`;
}

export const statusBadge = (status: number): Html =>
  html`<span class="status s${Math.floor(status / 100)}">${status}</span>`;

export const problemLink = (code: ProblemCode, urls: PageUrls): Html =>
  html`<a class="problem" href="${urls.errors}#${code}">${statusBadge(problems[code].status)}<code>${code}</code></a>`;

/** A block of text to copy, with a caption. */
export const block = (caption: string, content: HtmlPart, kind = "plain"): Html =>
  html`<figure class="block ${kind}"><figcaption>${caption}</figcaption><pre><code>${content}</code></pre></figure>`;

export const jsonBlock = (caption: string, value: unknown): Html => block(caption, coloured(value), "json");

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b/g;

/** JSON on as few lines as are pleasant to read, with coloured tokens. */
function coloured(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: HtmlPart[] = [];
  let done = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(done, match.index));
    if (string === undefined) parts.push(html`<span class="literal">${whole}</span>`);
    else if (colon === undefined) parts.push(html`<span class="string">${string}</span>`);
    else parts.push(html`<span class="name">${string}</span>${colon}`);
    done = match.index + whole.length;
  }
  return html`${parts}${text.slice(done)}`;
}

/** A shell command. Readers fill in the placeholders in angle brackets. */
export function curl(url: string, authorization: string | null, body: unknown): string {
  return [
    `curl -s ${quoted(url)}`,
    ...(authorization === null ? [] : [`  -H ${quoted(`Authorization: ${authorization}`)}`]),
    "  -H 'Content-Type: application/json'",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n");
}

const quoted = (text: string): string => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A heading that links to itself, so that its address can be copied. */
export const heading = (level: 2 | 3, id: string, title: HtmlPart): Html =>
  level === 2 ? html`<h2><a href="#${id}">${title}</a></h2>` : html`<h3><a href="#${id}">${title}</a></h3>`;

/**
 * A table whose first column names the row. Roles are explicit because the narrow layout shows rows as blocks, and
 * browsers then no longer treat it as a table.
 */
export const table = (kind: string, caption: string, headings: string[], rows: (readonly HtmlPart[])[]): Html =>
  html`<table class="${kind}" role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${headings.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(tableRow)}</tbody>
</table>`;

const tableRow = ([first = null, ...rest]: readonly HtmlPart[]): Html => html`
<tr role="row"><th scope="row" role="rowheader">${first}</th>${rest.map((cell) => html`<td role="cell">${cell}</td>`)}</tr>`;
