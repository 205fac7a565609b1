import { STATUS_CODES } from "node:http";
import { operations } from "../../api/index.ts";
import { changeProblems, commonProblems, problemsOf } from "../../api/reference/problems.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import { type NavGroup, page } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { anchorOf, heading, jsonBlock, type PageUrls, sentence, shortPath, statusBadge } from "./parts.ts";

const urls: PageUrls = {
  home: "../../",
  reference: "../documentation",
  errors: "errors",
  style: "style.css",
  openapi: "../openapi.json",
};

const codes = Object.keys(problems) as ProblemCode[];
const codesByStatus = [...Map.groupBy(codes, (code) => problems[code].status)].sort(([a], [b]) => a - b);

const titleOf = (status: number): string => `${status} ${STATUS_CODES[status] ?? ""}`.trim();

/** Every code of the catalogue, at the address that problem bodies give as their `type`. */
export const errorsPage = (): string =>
  page({ title: "Errors · Signalbox API", here: "errors", urls, groups: groups() }, [
    opening,
    codesByStatus.map(
      ([status, list]) => html`
<section class="area" id="status-${status}" aria-label="${titleOf(status)}">
${heading(2, `status-${status}`, titleOf(status))}
${list.map(entry)}
</section>`,
    ),
  ]);

const groups = (): NavGroup[] =>
  codesByStatus.map(([status, list]) => ({
    title: titleOf(status),
    anchor: `status-${status}`,
    links: list.map((code) => ({ anchor: code, title: html`<code>${code}</code>` })),
  }));

const opening = html`
<div class="hero">
<h1>Errors</h1>
<p class="lead">A call that is refused changes nothing, and says why in a form that both programs and people can read.</p>
</div>
<section class="pair" id="shape" aria-label="The shape of a problem">
<div class="words">
<p>The body is <code>application/problem+json</code> (RFC 9457). Decide by <code>code</code>: it never changes its meaning.
<code>detail</code> is a sentence about this very call, <code>remedy</code> says what to do next, and <code>type</code> leads to the
entry on this page. For <code>rate_limited</code> the <code>type</code> is the registered one for quotas.</p>
<p><code>errors</code> is there when members of the body are at fault: each entry has a JSON Pointer to the place, a code and a
sentence. Some codes bring members of their own, such as the <code>invite_code</code> that is in the way.</p>
<p>Quote <code>request_id</code> when you ask the operator for help: it stands in every log line of the call.</p>
</div>
<div class="blocks">${jsonBlock("A problem, status 422", {
  type: "…/latest/documentation/errors#validation_failed",
  title: problems.validation_failed.title,
  status: 422,
  detail: "A value in the body is not acceptable.",
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
<div><dt>Means</dt><dd>${sentence(problems[code].means, urls)}</dd></div>
<div><dt>Remedy</dt><dd>${sentence(problems[code].remedy, urls)}</dd></div>
<div><dt>Answered by</dt><dd>${answeredBy(code)}</dd></div>
</dl>
</article>`;

function answeredBy(code: ProblemCode): Html {
  if (commonProblems.includes(code)) return html`Any operation.`;
  if (changeProblems.includes(code)) return html`Any operation that changes something.`;
  const those = operations.filter((operation) => problemsOf(operation).includes(code));
  if (those.length === 0) return html`The server itself, before it comes to an operation.`;
  const links = those.map((operation, index) => [
    index > 0 ? ", " : "",
    html`<a href="${urls.reference}#${anchorOf(operation)}"><code>${shortPath(operation)}</code></a>`,
  ]);
  return html`${links}`;
}
