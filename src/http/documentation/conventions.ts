import { defaultPolicies, type PolicyName } from "../../calls/rate-limits.ts";
import { problems } from "../../kernel/problem.ts";
import { regions } from "../../kernel/regions.ts";
import { type Html, html } from "./html.ts";
import { block, type Here, heading, jsonBlock, problemLink, sentence, table } from "./parts.ts";

/** The rules that all operations share. */
export const conventions = (here: Here): Html => html`
<section id="conventions" aria-label="Conventions">
${heading(2, "conventions", "Conventions")}
<p class="opening">What holds for every operation.</p>
${requests(here)}${lists(here)}${errors(here)}${idempotency(here)}${rateLimits(here)}${requestIds()}${regionsPart(here)}${otherAddresses(here)}
</section>`;

const part = (id: string, title: string, words: Html, blocks: Html | null = null): Html => html`
<section class="part" id="${id}">
${heading(3, id, title)}
<div class="pair"><div class="words">${words}</div>${blocks === null ? null : html`<div class="blocks">${blocks}</div>`}</div>
</section>`;

const requests = ({ region }: Here): Html =>
  part(
    "requests",
    "Requests and answers",
    html`<p>Every operation is a <code>POST</code> with <code>Content-Type: application/json</code> and a JSON object as its body;
where nothing needs saying, the object is empty. Bodies may have 64 KiB and 32 levels. Members that an operation does not know
are ignored; one that is named twice is refused.</p>
<p>Success is status 200 with a JSON object. Answers may grow members over time, so ignore those you do not know. Ids say what
they name and where it lives, such as <code>prj_${region}_…</code>; times are UTC, such as <code>2026-11-15T09:30:00.000Z</code>.</p>`,
  );

const lists = ({ region }: Here): Html =>
  part(
    "lists",
    "Lists",
    html`<p>A list takes <code>limit</code>, 1 to 100 and 50 if left out, and answers <code>results</code> with
<code>next</code>. Send <code>next</code> as <code>after</code> to get the following page; on the last page it is
<code>null</code>. The order is stable, so a page never repeats what another one had.</p>`,
    html`${jsonBlock("A page", { results: [{ project_id: `prj_${region}_…` }], next: `prj_${region}_…` })}
${jsonBlock("The body that asks for the next one", { after: `prj_${region}_…` })}`,
  );

const errors = ({ urls, baseUrl }: Here): Html =>
  part(
    "errors",
    "Errors",
    html`<p>Every refusal is <code>application/problem+json</code> with a stable <code>code</code>, a <code>detail</code> for people
and a <code>remedy</code> that says what to do next. A refused call changes nothing. What you may not see does not exist: an id
of another organization is answered exactly like one that nobody has.</p>
<p><a href="${urls.errors}">All codes, with their meanings and remedies</a></p>`,
    jsonBlock("A problem, status 404", {
      type: `${baseUrl}/latest/documentation/errors#project_not_found`,
      title: problems.project_not_found.title,
      status: problems.project_not_found.status,
      detail: problems.project_not_found.means,
      instance: "urn:signalbox:request:req_…",
      code: "project_not_found",
      request_id: "req_…",
      remedy: problems.project_not_found.remedy,
    }),
  );

const idempotency = ({ urls }: Here): Html =>
  part(
    "idempotency",
    "Repeating a call safely",
    html`<p>If an answer got lost, you cannot know whether the change was made. Send an <code>Idempotency-Key</code> of 1 to 255
characters with every call that changes something, and repeat the call with the same key and body: it answers what the
first one answered, marked <code>Idempotency-Replayed: true</code>, and does nothing a second time.</p>
<p>Keys are kept for 24 hours, per account, project and path. An answer that holds a secret is kept for one hour, sealed. A
refused call keeps nothing, so correct it and use the same key again. The same key with another body is
${problemLink("idempotency_mismatch", urls)}.</p>`,
    block("Header", 'Idempotency-Key: "invite-ada-2026-11-15"', "shell"),
  );

const policyMeanings: Record<PolicyName, string> = {
  default: "Every call, for each key",
  write: "Calls that change something, for each key",
  run: "Runs of steps, tools and agents, for each key",
  invite: "Invites created or sent again, for each project",
  auth_failure: "Calls with wrong credentials, for each address and for each beginning of a key",
  scim: "Calls of an identity provider, for each directory",
  sign_in: "Calls that take no key, for each address",
  sign_in_failure: "Sign-ins that failed, for each account together with the address or browser that tries",
};

const rateLimits = ({ urls }: Here): Html =>
  part(
    "rate-limits",
    "Rate limits",
    html`<p>Each answer to a call with a valid key says how much is left. A limit that is used up is
${problemLink("rate_limited", urls)}; wait as many seconds as <code>Retry-After</code> says. These are the limits as shipped; the
operator may have set others, and the headers tell which are in force.</p>
${table(
  "plain",
  "Rate limits",
  ["Name", "Calls", "Counts"],
  (Object.keys(defaultPolicies) as PolicyName[]).map((name) => [
    html`<code>${name}</code>`,
    quotaOf(name),
    policyMeanings[name],
  ]),
)}`,
    block("Headers of an answer", 'RateLimit-Policy: "default";q=6000;w=60\nRateLimit: "default";r=5998;t=41', "shell"),
  );

const quotaOf = (name: PolicyName): string => {
  const { quota, windowSeconds } = defaultPolicies[name];
  return `${quota.toLocaleString("en")} in ${windowSeconds === 3600 ? "an hour" : `${windowSeconds} s`}`;
};

const requestIds = (): Html =>
  part(
    "request-ids",
    "Request ids",
    html`<p>Every answer carries <code>X-Request-Id</code>. The log and the audit row of the call hold the same id, so quote it when
you ask for help.</p>`,
  );

const regionsPart = ({ urls, region, baseUrl }: Here): Html =>
  part(
    "regions",
    "Regions",
    html`<p>An organization lives in one region: ${regions.map((each, index) => html`${index > 0 ? ", " : ""}<code>${each}</code>`)}.
Each has its own base address and its own data; this page belongs to <code>${region}</code>. Keys and ids carry the region in
their text, so a call that belongs elsewhere is recognized without looking anything up, and answered with
${problemLink("wrong_region", urls)}: <code>base_url</code> says where to send it. Nothing was done, so it is safe to send
again. There is no redirect, because clients drop or leak credentials when they follow one.</p>`,
    jsonBlock("A problem, status 421 (shortened)", {
      status: problems.wrong_region.status,
      code: "wrong_region",
      region,
      base_url: baseUrl,
      remedy: problems.wrong_region.remedy,
    }),
  );

const addresses: [path: string, meaning: string][] = [
  ["/latest/openapi.json", "This contract as OpenAPI 3.1, with every error"],
  ["/healthz", "200 while the process lives"],
  ["/readyz", "200 while the region takes calls, 503 with the reason otherwise"],
  ["/metrics", "Counts and times in the Prometheus text format"],
];

const otherAddresses = ({ urls }: Here): Html =>
  part(
    "other-addresses",
    "Other addresses",
    table(
      "plain",
      "Addresses that are read with GET, without a key",
      ["GET", "Answers"],
      addresses.map(([path, meaning]) => [html`<code>${path}</code>`, sentence(meaning, urls)]),
    ),
  );
