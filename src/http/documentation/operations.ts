import { needsProject } from "../../access/callers/authorize.ts";
import { operations } from "../../api/index.ts";
import { areas, needsInWords } from "../../api/reference/areas.ts";
import { exampleAnswerOf, inRegion } from "../../api/reference/example-answer.ts";
import { fieldMeanings } from "../../api/reference/field-meanings.ts";
import { changeProblems, commonProblems, problemsOf } from "../../api/reference/problems.ts";
import {
  answerSchemaOf,
  bodySchemaOf,
  exampleBodyOf,
  isReserved,
  type JsonSchema,
  namesInPath,
} from "../../api/reference/schemas.ts";
import type { Operation } from "../../calls/define.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import { fieldsOf, fieldTable } from "./fields.ts";
import type { NavGroup } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { anchorOf, block, curl, type Here, heading, jsonBlock, problemLink, sentence, shortPath } from "./parts.ts";

const operationsByArea = Map.groupBy(operations, (operation) => operation.area);

export const operationGroups = (): NavGroup[] =>
  [...operationsByArea].map(([area, list]) => ({
    title: areas[area].title,
    anchor: area,
    links: list.map((each) => ({ anchor: anchorOf(each), title: html`<code>${breakable(shortPath(each))}</code>` })),
  }));

/** A long path may break after its slashes. */
const breakable = (path: string): Html =>
  html`${path.split("/").map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;

export const operationSections = (here: Here): Html[] =>
  [...operationsByArea].map(
    ([area, list]) => html`
<section class="area" id="${area}" aria-label="${areas[area].title}">
${heading(2, area, areas[area].title)}
<p class="opening">${sentence(areas[area].opening, here.urls)}</p>
<ul class="index">${list.map((each) => html`<li><a href="#${anchorOf(each)}">${each.summary}</a></li>`)}</ul>
${list.map((operation) => operationSection(operation, here))}
</section>`,
  );

function operationSection(operation: Operation, here: Here): Html {
  const id = anchorOf(operation);
  return html`
<article class="operation" id="${id}">
${heading(3, id, operation.summary)}
<p class="endpoint"><span class="method">POST</span> <code>${breakable(operation.path)}</code></p>
<div class="pair">
<div class="words">
${operation.description === undefined ? null : html`<p>${sentence(operation.description, here.urls)}</p>`}
${facts(operation, here)}
${tables(operation, here)}
${problemsSection(operation, here)}
</div>
<div class="blocks">${examples(operation, here)}</div>
</div>
</article>`;
}

function facts(operation: Operation, { urls }: Here): Html {
  const audited =
    operation.audit === null
      ? isReserved(operation)
        ? html`No: nothing is changed.`
        : html`No: it only reads.`
      : html`Yes, as <code>${operation.audit}</code>.`;
  return html`<dl class="facts">
<div><dt>Needs</dt><dd>${needsInWords[operation.needs]}</dd></div>
${
  operation.projectInBody
    ? html`<div><dt>Project</dt><dd>${sentence("The one in the header, or `project_id` in the body.", urls)}</dd></div>`
    : null
}
<div><dt>Audited</dt><dd>${audited}</dd></div>
</dl>`;
}

function tables(operation: Operation, { urls }: Here): Html {
  const inPath = fieldsOf(pathSchema(operation));
  const body = fieldsOf(bodySchemaOf(operation));
  const answer = fieldsOf(answerSchemaOf(operation));
  return html`${inPath.length === 0 ? null : fieldTable("In the path", inPath, "body", urls)}
${
  body.length === 0
    ? html`<p class="nothing"><strong>Body</strong> an empty JSON object, <code>{}</code></p>`
    : fieldTable("Body", body, "body", urls)
}
${answer.length === 0 ? null : fieldTable("Answer, status 200", answer, "answer", urls)}`;
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

function problemsSection(operation: Operation, { urls }: Here): Html {
  const shared: readonly ProblemCode[] =
    operation.audit === null ? commonProblems : [...commonProblems, ...changeProblems];
  const own = problemsOf(operation)
    .filter((code) => !shared.includes(code))
    .sort((a, b) => problems[a].status - problems[b].status);
  const others = problemsOf(operation).filter((code) => shared.includes(code));
  const what = operation.audit === null ? "any call" : "any call that changes something";
  return html`<div class="problems">
<h4>Problems</h4>
${
  own.length === 0
    ? null
    : html`<ul class="own">${own.map((code) => html`<li>${problemLink(code, urls)} ${sentence(problems[code].means, urls)}</li>`)}</ul>`
}
<details><summary>${own.length === 0 ? "Those" : "And those"} that ${what} can answer</summary>
<ul class="shared">${others.map((code) => html`<li>${problemLink(code, urls)}</li>`)}</ul></details>
</div>`;
}

function examples(operation: Operation, { baseUrl, region }: Here): Html {
  const body = exampleBodyOf(operation);
  const url = `${baseUrl}${operation.path.replace(/\{(\w+)\}/g, "<$1>")}`;
  const authorization = operation.needs === "nobody" ? null : authorizationFor(operation);
  return html`${block("Call", curl(url, authorization, withPlaceholders(body)), "shell")}
${Object.keys(body).length === 0 ? null : jsonBlock("Body", inRegion(body, region))}
${isReserved(operation) ? null : jsonBlock("Answer", exampleAnswerOf(operation, region))}`;
}

const authorizationFor = ({ needs }: Operation): string =>
  needsProject(needs) ? "Bearer <project_id>:<api_key>" : "Bearer :<api_key>";

/** An example id, `org_us_…`, is not valid: a call to copy shows the placeholder `<organization_id>`. */
function withPlaceholders<T>(value: T, name = ""): T {
  if (typeof value === "string") return (value.endsWith("_…") ? `<${name}>` : value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withPlaceholders(each, name)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, withPlaceholders(inner, member)]),
  ) as T;
}
