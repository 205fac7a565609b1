import { operations } from "../../../api/index.ts";
import { areas } from "../../../api/reference/area-titles.ts";
import { changeProblems, commonProblems, problemsOf } from "../../../api/reference/problems-of-operation.ts";
import { type ProblemCode, problems } from "../../../kernel/problem.ts";
import { STATUS_CODES } from "../../node-http.ts";
import { type Html, html } from "../html.ts";
import { page } from "../page-frame.ts";
import { heading, jsonBlock, operationUrl, sentence, shortPath, statusBadge } from "../page-parts.ts";
import { areaPath, linksFrom } from "../site-pages.ts";

const links = linksFrom("errors");

const codes = Object.keys(problems) as ProblemCode[];
const codesByStatus = [...Map.groupBy(codes, (code) => problems[code].status)].sort(([a], [b]) => a - b);

const titleOf = (status: number): string => `${status} ${STATUS_CODES[status] ?? ""}`.trim();

/** Every code of the catalogue, at the address that problem bodies give as their `type`. */
export const errorsPage = (): string =>
  page({ path: "errors", title: "Errors", sections }, [
    opening,
    codesByStatus.map(
      ([status, list]) => html`
<section class="area" id="status-${status}" aria-label="${titleOf(status)}">
${heading(2, `status-${status}`, titleOf(status))}
${list.map(entry)}
</section>`,
    ),
  ]);

const sections = codesByStatus.map(([status]) => ({ anchor: `status-${status}`, title: titleOf(status) }));

const opening = html`
<div class="hero">
<h1>Errors</h1>
<p class="lead">Every error has a stable code, a sentence for people, and a remedy. A call that returns an error changes nothing.</p>
</div>
<section class="pair" id="shape" aria-label="The shape of an error">
<div class="words">
<p>The response body is <code>application/problem+json</code> (RFC 9457). Decide by <code>code</code>: its meaning never changes.
<code>detail</code> is a sentence about this call, <code>remedy</code> says what to do next, and <code>type</code> links to the
entry on this page. The <code>type</code> of <code>rate_limited</code> is the registered one for quotas.</p>
<p>If members of the request body are invalid, <code>errors</code> lists them. Each entry has a JSON Pointer, a code and a
sentence. Some codes have members of their own, such as the <code>invite_code</code> of an existing invite.</p>
<p>Quote <code>request_id</code> when you ask the operator for help: every log line of the call has it.</p>
</div>
<div class="blocks">${jsonBlock("An error, status 422", {
  type: "…/latest/documentation/errors#validation_failed",
  title: problems.validation_failed.title,
  status: 422,
  detail: "A value in the body is invalid.",
  instance: "urn:signalbox:request:req_…",
  code: "validation_failed",
  request_id: "req_…",
  remedy: problems.validation_failed.remedy,
  errors: [
    {
      pointer: "#/permissions/items/platformDefault/actions/role:edtor",
      code: "unknown_action",
      detail: "Unknown name; known are role:viewer, role:editor, admin.",
    },
  ],
})}</div>
</section>`;

const entry = (code: ProblemCode): Html => html`
<article class="entry" id="${code}">
<h3><a href="#${code}">${statusBadge(problems[code].status)} <code>${code}</code></a></h3>
<dl class="facts">
<div><dt>Meaning</dt><dd>${sentence(problems[code].means, links)}</dd></div>
<div><dt>Remedy</dt><dd>${sentence(problems[code].remedy, links)}</dd></div>
<div><dt>Returned by</dt><dd>${returnedBy(code)}</dd></div>
</dl>
</article>`;

const listedMax = 12;

/** The operations, or the areas where there are many. */
function returnedBy(code: ProblemCode): Html {
  if (commonProblems.includes(code)) return html`Any operation.`;
  if (changeProblems.includes(code)) return html`Any operation that changes something.`;
  const those = operations.filter((operation) => problemsOf(operation).includes(code));
  if (those.length === 0) return html`The server itself, before a call reaches an operation.`;
  const found =
    those.length > listedMax
      ? [...new Set(those.map(({ area }) => area))].map(
          (area) => html`<a href="${links.page(areaPath(area))}">${areas[area].title}</a>`,
        )
      : those.map(
          (operation) => html`<a href="${operationUrl(operation, links)}"><code>${shortPath(operation)}</code></a>`,
        );
  const list = found.map((link, index) => [index > 0 ? ", " : "", link]);
  return those.length > listedMax ? html`${those.length} operations: ${list}` : html`${list}`;
}
