import { type Needs, needsProject } from "../../access/callers/authorize.ts";
import { fieldMeanings } from "../../api/field-meanings.ts";
import { operations } from "../../api/index.ts";
import type { Area, Operation } from "../../calls/define.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import { always, onChanges, problemsOf } from "../openapi.ts";
import { answerSchemaOf, bodySchemaOf, exampleBodyOf, isReserved, type JsonSchema, namesInPath } from "../schemas.ts";
import { fieldsOf, fieldTable } from "./fields.ts";
import type { NavGroup } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { anchorOf, block, curl, type Here, heading, jsonBlock, problemLink, sentence, shortPath } from "./parts.ts";
import { exampleAnswerOf, inRegion } from "./samples.ts";

const areas: Record<Area, { title: string; opening: string }> = {
  projects: {
    title: "Projects",
    opening: "A project belongs to one organization. Whoever creates it is its first admin, and brings in the others.",
  },
  invites: {
    title: "Invites",
    opening:
      "An invite offers a role in one project to one address. It is `pending` until it is accepted, deleted, or `expired`; its roles never change.",
  },
  users: {
    title: "People",
    opening:
      "Who is in a project, and as what. A project always keeps at least one active admin: the call that would take the last one away is refused.",
  },
  keys: {
    title: "API keys",
    opening:
      "A key belongs to a person and can do what that person can do at the moment of the call, or less if it is narrowed. Only its hash is stored.",
  },
  sessions: {
    title: "Sessions",
    opening:
      "Where you are signed in. A session ends after seven days, after twelve hours without use, or when you end it.",
  },
  sign_in: {
    title: "Signing in",
    opening:
      "What the sign-in pages call. These operations take no key; each address may call them only so often, and wrong tries are counted for each account.",
  },
  service_users: {
    title: "Service users",
    opening:
      "An account for automation: it has keys and roles like a person, belongs to nobody, and cannot sign in. A person who leaves takes no pipeline with them.",
  },
  single_sign_on: {
    title: "Single sign-on",
    opening: "People of your verified domains sign in at your own identity provider, by OpenID Connect or SAML 2.0.",
  },
  directory: {
    title: "Directory",
    opening:
      "Your identity provider manages people through SCIM 2.0 at `/scim/v2`: here are its tokens, and which group has which role in which project.",
  },
  organizations: {
    title: "Organizations",
    opening: "An account belongs to one organization, and an organization lives in one region.",
  },
  systems: {
    title: "Systems",
    opening: "The external systems that steps can call, and how an account of each is connected.",
  },
  connections: {
    title: "Connections",
    opening:
      "A connection is an account at an external system, connected once for a project and named by every step that uses it. Its secrets are sealed, and never shown again.",
  },
  steps: {
    title: "Steps",
    opening:
      "A step calls an external system through a connection: authentication, limits, paging and errors are taken care of. Running one makes a run.",
  },
  tools: {
    title: "Tools",
    opening:
      "A tool is an ordered list of steps with params, values between them, and an output. It is edited as a draft and run as published.",
  },
  schedules: {
    title: "Schedules",
    opening: "A schedule starts a tool at the times of a cron expression, in a time zone of its own.",
  },
  runs: {
    title: "Runs",
    opening: "What was done, attempt by attempt. A finished step is never sent twice.",
  },
  limits: {
    title: "Limits",
    opening: "The limits of the external systems, shared by everyone who uses the same account there.",
  },
  agents: {
    title: "Agents",
    opening:
      "An agent hears events at an address of its own, and acts upon them: by its rules, an event starts a tool. `POST` to its `webhook_url` takes no key; what is sent there is signed, kept once, and answered 202 with `event_id` and `run_id`.",
  },
  events: {
    title: "Events",
    opening: "What agents were told, and what came of it. The same event again, within seven days, is no new one.",
  },
  webhooks: {
    title: "Webhooks",
    opening:
      "A webhook is an address of yours that is told of what happens here, signed as Standard Webhooks are. What was announced with a change is sent once that change stands, at least once, and in no promised order.",
  },
  audit: {
    title: "Audit",
    opening:
      "Every change leaves one row, written in the same transaction, and each row's hash covers the row before it.",
  },
};

export const needsInWords: Record<Needs, string> = {
  nobody: "Nothing: no account, and no key.",
  account: "Any active account, with any of its keys.",
  "full key": "Any active account, with a key that is not narrowed to projects or to a role.",
  "project viewer": "Viewer, editor or admin of the project.",
  "project editor": "Editor or admin of the project.",
  "project admin": "Admin of the project, or owner of its organization.",
  "organization owner": "Owner of the organization, with a key that is not narrowed to projects or to a role.",
};

const operationsByArea = Map.groupBy(operations, (operation) => operation.area);

export const operationGroups = (): NavGroup[] =>
  [...operationsByArea].map(([area, list]) => ({
    title: areas[area].title,
    anchor: area,
    links: list.map((each) => ({ anchor: anchorOf(each), title: html`<code>${breakable(shortPath(each))}</code>` })),
  }));

/** A long path may be broken behind its slashes. */
const breakable = (path: string): Html =>
  html`${path.split("/").map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;

export const operationSections = (here: Here): Html[] =>
  [...operationsByArea].map(
    ([area, list]) => html`
<section class="area" id="${area}" aria-label="${areas[area].title}">
${heading(2, area, areas[area].title)}
<p class="opening">${sentence(areas[area].opening, here.places)}</p>
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
${operation.description === undefined ? null : html`<p>${sentence(operation.description, here.places)}</p>`}
${facts(operation, here)}
${tables(operation, here)}
${problemsSection(operation, here)}
</div>
<div class="blocks">${examples(operation, here)}</div>
</div>
</article>`;
}

function facts(operation: Operation, { places }: Here): Html {
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
    ? html`<div><dt>Project</dt><dd>${sentence("The one in the header, or `project_id` in the body.", places)}</dd></div>`
    : null
}
<div><dt>Audited</dt><dd>${audited}</dd></div>
</dl>`;
}

function tables(operation: Operation, { places }: Here): Html {
  const inPath = fieldsOf(pathSchema(operation));
  const body = fieldsOf(bodySchemaOf(operation));
  const answer = fieldsOf(answerSchemaOf(operation));
  return html`${inPath.length === 0 ? null : fieldTable("In the path", inPath, "body", places)}
${
  body.length === 0
    ? html`<p class="nothing"><strong>Body</strong> an empty JSON object, <code>{}</code></p>`
    : fieldTable("Body", body, "body", places)
}
${answer.length === 0 ? null : fieldTable("Answer, status 200", answer, "answer", places)}`;
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

function problemsSection(operation: Operation, { places }: Here): Html {
  const shared: readonly ProblemCode[] = operation.audit === null ? always : [...always, ...onChanges];
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
    : html`<ul class="own">${own.map((code) => html`<li>${problemLink(code, places)} ${sentence(problems[code].means, places)}</li>`)}</ul>`
}
<details><summary>${own.length === 0 ? "Those" : "And those"} that ${what} can answer</summary>
<ul class="shared">${others.map((code) => html`<li>${problemLink(code, places)}</li>`)}</ul></details>
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

/** An example id, `org_us_…`, is no id: in a call to copy it stands as the placeholder `<organization_id>`. */
function withPlaceholders<T>(value: T, name = ""): T {
  if (typeof value === "string") return (value.endsWith("_…") ? `<${name}>` : value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withPlaceholders(each, name)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, withPlaceholders(inner, member)]),
  ) as T;
}
