import { operations } from "../../../api/index.ts";
import { areas, needsInWords } from "../../../api/reference/area-titles.ts";
import { fieldMeanings } from "../../../api/reference/field-meanings.ts";
import { exampleAnswerOf, inRegion } from "../../../api/reference/make-example.ts";
import {
  answerSchemaOf,
  bodySchemaOf,
  exampleBodyOf,
  isReserved,
  type JsonSchema,
  namesInPath,
} from "../../../api/reference/operation-schemas.ts";
import { changeProblems, commonProblems, problemsOf } from "../../../api/reference/problems-of-operation.ts";
import type { Area, Operation } from "../../../calls/define-operation.ts";
import { type ProblemCode, problems } from "../../../kernel/problem.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page-frame.ts";
import { anchorOf, type Here, heading, jsonBlock, problemLink, sentence, shortPath } from "../page-parts.ts";
import { samplesOf } from "./call-samples.ts";
import { fieldsOf, fieldTable } from "./field-table.ts";

/** The page of one area: what it is, then each of its operations. */

const inArea = (area: Area): Operation[] => operations.filter((operation) => operation.area === area);

export const areaSections = (area: Area): { title: string; sections: Section[] } => ({
  title: areas[area].title,
  sections: inArea(area).map((each) => ({ anchor: anchorOf(each), title: each.summary })),
});

/** A long path may break after its slashes. */
const breakable = (path: string): Html =>
  html`${path.split("/").map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;

export const areaContent = (area: Area, here: Here): Html => html`
<div class="hero area">
<h1>${areas[area].title}</h1>
<p class="lead">${sentence(areas[area].opening, here.links)}</p>
<ul class="operations">${inArea(area).map(
  (each) => html`<li><a href="#${anchorOf(each)}">${each.summary}</a> <code>${breakable(shortPath(each))}</code></li>`,
)}</ul>
</div>
${inArea(area).map((operation) => operationSection(operation, here))}
${sharedProblems(area, here)}`;

function operationSection(operation: Operation, here: Here): Html {
  const id = anchorOf(operation);
  return html`
<article class="operation" id="${id}">
${heading(2, id, operation.summary)}
<p class="endpoint"><span class="method">POST</span> <code>${breakable(operation.path)}</code></p>
<div class="pair">
<div class="words">
${operation.description === undefined ? null : html`<p>${sentence(operation.description, here.links)}</p>`}
${facts(operation, here)}
${tables(operation, here)}
${ownProblems(operation, here)}
</div>
<div class="blocks">${examples(operation, here)}</div>
</div>
</article>`;
}

function facts(operation: Operation, { links }: Here): Html {
  const audited =
    operation.audit === null
      ? isReserved(operation)
        ? html`No. It changes nothing.`
        : html`No. It only reads.`
      : html`Yes, as <code>${operation.audit}</code>.`;
  return html`<dl class="facts">
<div><dt>Requires</dt><dd>${needsInWords[operation.needs]}</dd></div>
${
  operation.projectInBody
    ? html`<div><dt>Project</dt><dd>${sentence("The one in the header, or `project_id` in the body.", links)}</dd></div>`
    : null
}
<div><dt>Audited</dt><dd>${audited}</dd></div>
</dl>`;
}

function tables(operation: Operation, { links }: Here): Html {
  const inPath = fieldsOf(pathSchema(operation));
  const body = fieldsOf(bodySchemaOf(operation));
  const answer = fieldsOf(answerSchemaOf(operation));
  return html`${inPath.length === 0 ? null : fieldTable("Path parameters", inPath, "body", links)}
${
  body.length === 0
    ? html`<p class="nothing"><strong>Request body</strong> an empty JSON object, <code>{}</code></p>`
    : fieldTable("Request body", body, "body", links)
}
${answer.length === 0 || isReserved(operation) ? null : fieldTable("Response, status 200", answer, "answer", links)}`;
}

function pathSchema(operation: Operation): JsonSchema {
  const names = namesInPath(operation);
  return {
    properties: Object.fromEntries(names.map((name) => [name, { type: "string", description: pathMeaning(name) }])),
    required: names,
  };
}

const pathMeaning = (name: string): string =>
  name === "user_id" ? "The person, from `auth/users/list`" : (fieldMeanings[name] ?? "The project");

const byStatus = (codes: readonly ProblemCode[]): ProblemCode[] =>
  [...codes].sort((a, b) => problems[a].status - problems[b].status);

const sharedCodes: readonly ProblemCode[] = [...commonProblems, ...changeProblems];

/** The codes of this operation. Those that every call can get are listed once, at the end of the page. */
function ownProblems(operation: Operation, { links }: Here): Html {
  const own = byStatus(problemsOf(operation).filter((code) => !sharedCodes.includes(code)));
  return html`<div class="problems">
<h3 class="small">Errors</h3>
${
  own.length === 0
    ? null
    : html`<ul class="own">${own.map((code) => html`<li>${problemLink(code, links)} ${sentence(problems[code].means, links)}</li>`)}</ul>`
}
<p class="also"><a href="#shared-errors">${own.length === 0 ? "Errors" : "And errors"} that any call can return</a></p>
</div>`;
}

/** Only the codes that some operation of the area can return. */
function sharedProblems(area: Area, { links }: Here): Html {
  const possible = new Set(inArea(area).flatMap(problemsOf));
  const list = (codes: readonly ProblemCode[]): Html =>
    html`<ul class="shared">${byStatus(codes.filter((code) => possible.has(code))).map((code) => html`<li>${problemLink(code, links)}</li>`)}</ul>`;
  const changes = changeProblems.filter((code) => possible.has(code));
  return html`
<section class="part problems" id="shared-errors" aria-label="Errors that any call can return">
${heading(2, "shared-errors", "Errors that any call can return")}
${list(commonProblems)}
${changes.length === 0 ? null : html`<p>Calls that change something can also return:</p>${list(changeProblems)}`}
</section>`;
}

/** A short body can be read in the call itself. */
const bodyToFormat = 100;

function examples(operation: Operation, { baseUrl, region }: Here): Html {
  const body = exampleBodyOf(operation);
  return html`${samplesOf(operation, baseUrl)}
${JSON.stringify(body).length < bodyToFormat ? null : jsonBlock("Request body", inRegion(body, region))}
${isReserved(operation) ? null : jsonBlock("Response", exampleAnswerOf(operation, region))}`;
}
