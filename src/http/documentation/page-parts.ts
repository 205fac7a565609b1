import { operations } from "../../api/index.ts";
import type { Operation } from "../../calls/define-operation.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { type Html, type HtmlPart, html } from "./html.ts";
import { areaPath, type Links } from "./site-pages.ts";

/** The small pieces that all pages consist of. */

/** The address and the region of the page, for its examples. */
export interface Here {
  baseUrl: string;
  region: Region;
  links: Links;
}

export const shortPath = (operation: Operation): string => operation.path.slice("/latest/".length);

/** The anchor of an operation on the page of its area, and in the list of all operations. */
export const anchorOf = (operation: Operation): string =>
  shortPath(operation).replace(/[{}]/g, "").replaceAll("/", "-");

const operationsByName = new Map(operations.map((operation) => [shortPath(operation), operation]));

export const operationUrl = (operation: Operation, links: Links): string =>
  `${links.page(areaPath(operation.area))}#${anchorOf(operation)}`;

/** A sentence of the catalogue or the contract: `backticks` become code, and operation names become links. */
export function sentence(text: string, links: Links): Html {
  const parts = text.split(/`([^`]+)`/).map((part, index): HtmlPart => {
    if (index % 2 === 0) return part;
    const operation = operationsByName.get(part);
    if (operation === undefined) return html`<code>${part}</code>`;
    return html`<a href="${operationUrl(operation, links)}"><code>${part}</code></a>`;
  });
  return html`${parts}`;
}

export const statusBadge = (status: number): Html =>
  html`<span class="status s${Math.floor(status / 100)}">${status}</span>`;

export const problemLink = (code: ProblemCode, links: Links): Html =>
  html`<a class="problem" href="${links.page("errors")}#${code}">${statusBadge(problems[code].status)}<code>${code}</code></a>`;

/** A block of text to copy, with a caption. */
export const block = (caption: string, content: HtmlPart, kind = "plain"): Html =>
  html`<figure class="block ${kind}"><figcaption>${caption}</figcaption><pre><code>${content}</code></pre></figure>`;

export const jsonBlock = (caption: string, value: unknown): Html =>
  block(caption, colouredJson(JSON.stringify(value, null, 2)), "json");

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b/g;

/** JSON with coloured tokens. */
export function colouredJson(text: string): Html {
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

/** A heading that links to itself, so that its address can be copied. */
export const heading = (level: 2 | 3 | 4, id: string, title: HtmlPart): Html => {
  const link = html`<a href="#${id}">${title}</a>`;
  if (level === 2) return html`<h2>${link}</h2>`;
  return level === 3 ? html`<h3>${link}</h3>` : html`<h4>${link}</h4>`;
};

/**
 * A table whose first column names the row. Roles are explicit because the narrow layout shows rows as blocks, and
 * browsers then no longer treat it as a table.
 */
export const table = (
  kind: string,
  caption: string | null,
  headings: HtmlPart[],
  rows: (readonly HtmlPart[])[],
): Html =>
  html`<table class="${kind}" role="table">
${caption === null ? null : html`<caption>${caption}</caption>`}
<thead role="rowgroup"><tr role="row">${headings.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(tableRow)}</tbody>
</table>`;

const tableRow = ([first = null, ...rest]: readonly HtmlPart[]): Html => html`
<tr role="row"><th scope="row" role="rowheader">${first}</th>${rest.map((cell) => html`<td role="cell">${cell}</td>`)}</tr>`;
