import { defaultPolicies, type PolicyName } from "../../../calls/rate-limits/default-quotas.ts";
import { problems } from "../../../kernel/problem.ts";
import { regions } from "../../../kernel/regions.ts";
import { contractVersion } from "../../contract-version.ts";
import { type Html, html } from "../html.ts";
import { block, type Here, heading, jsonBlock, problemLink, sentence, table } from "../page-parts.ts";

/** The rules that all operations share. */
export const conventions = (here: Here): Html =>
  html`${requests(here)}${lists(here)}${errors(here)}${idempotency(here)}${rateLimits(here)}${requestIds()}${regionsPart(here)}${versions(here)}${otherAddresses(here)}`;

const part = (id: string, title: string, words: Html, blocks: Html | null = null): Html => html`
<section id="${id}" aria-label="${title}">
${heading(2, id, title)}
<div class="pair"><div class="words">${words}</div>${blocks === null ? null : html`<div class="blocks">${blocks}</div>`}</div>
</section>`;

const requests = ({ region, links }: Here): Html =>
  part(
    "requests",
    "Requests and responses",
    html`<p>Every operation is a <code>POST</code> with <code>Content-Type: application/json</code> and a JSON object as its body.
If there is nothing to send, send <code>{}</code>. A body can have up to 32 levels and, depending on the operation, 64 KiB to
4 MiB (<a href="${links.page("sizes")}">size limits</a>). Unknown members are ignored. A member that occurs twice is an error.</p>
<p>A successful call returns status 200 and a JSON object. Responses can gain members, so ignore members that you do not know.
An id shows its kind and region, such as <code>prj_${region}_…</code>. Times are UTC, such as <code>2026-11-15T09:30:00.000Z</code>.</p>`,
  );

const lists = ({ region }: Here): Html =>
  part(
    "lists",
    "Lists",
    html`<p>A list accepts <code>limit</code> (1 to 100, default 50) and returns <code>results</code> and <code>next</code>.
Send <code>next</code> as <code>after</code> to get the next page. On the last page <code>next</code> is <code>null</code>.
The order is stable, so no page repeats a record of another page.</p>`,
    html`${jsonBlock("A page", { results: [{ project_id: `prj_${region}_…` }], next: `prj_${region}_…` })}
${jsonBlock("The request body for the next page", { after: `prj_${region}_…` })}`,
  );

const errors = ({ links, baseUrl }: Here): Html =>
  part(
    "errors",
    "Errors",
    html`<p>Every error is <code>application/problem+json</code> with a stable <code>code</code>, a <code>detail</code> for people
and a <code>remedy</code> that says what to do next. A call that returns an error changes nothing. An id that you cannot see
returns the same error as an id that does not exist.</p>
<p><a href="${links.page("errors")}">All codes, with meaning and remedy</a></p>`,
    jsonBlock("An error, status 404", {
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

const idempotency = ({ links }: Here): Html =>
  part(
    "idempotency",
    "Idempotency",
    html`<p>If a response is lost, you cannot know whether the change was made. Send an <code>Idempotency-Key</code> of 1 to 255
characters with every call that changes something. To retry, send the same key and body: the server returns the response of the
first call with the header <code>Idempotency-Replayed: true</code>, and changes nothing.</p>
<p>The server keeps a key for 24 hours, for each account, project and path. It keeps a response with a secret for one hour,
encrypted. It keeps nothing for a call that returned an error: correct the call and use the same key again. The same key with another
body returns ${problemLink("idempotency_mismatch", links)}.</p>`,
    block("Header", 'Idempotency-Key: "invite-ada-2026-11-15"', "shell"),
  );

const policyMeanings: Record<PolicyName, string> = {
  default: "All calls, for each key",
  account:
    "All calls, for each account, with all its keys and sessions; the headers do not show it until it is exhausted",
  write: "Calls that change something, for each key",
  run: "Runs of steps, tools and agents, for each key",
  invite: "Invites created or sent again, for each project",
  auth_failure: "Calls with wrong credentials, for each IP address and for each key prefix",
  scim: "Calls of an identity provider, for each directory",
  sign_in: "Calls without a key, for each IP address",
  sign_in_failure: "Failed sign-ins, for each account together with the IP address or browser",
};

const rateLimits = ({ links }: Here): Html =>
  part(
    "rate-limits",
    "Rate limits",
    html`<p>The response to a call with a valid key says how many calls are left. When a limit is exhausted, the call returns
${problemLink("rate_limited", links)}. Retry after the number of seconds in <code>Retry-After</code>. These are the defaults; the
operator can change them, and the headers show the limits in force.</p>
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
    block("Response headers", 'RateLimit-Policy: "default";q=6000;w=60\nRateLimit: "default";r=5998;t=41', "shell"),
  );

const quotaOf = (name: PolicyName): string => {
  const { quota, windowSeconds } = defaultPolicies[name];
  return `${quota.toLocaleString("en")} in ${windowSeconds === 3600 ? "an hour" : `${windowSeconds} s`}`;
};

const requestIds = (): Html =>
  part(
    "request-ids",
    "Request ids",
    html`<p>Every response has the header <code>X-Request-Id</code>. The log and the audit row of the call have the same id. Quote it
when you ask for help.</p>`,
  );

const regionsPart = ({ links, region, baseUrl }: Here): Html =>
  part(
    "regions",
    "Regions",
    html`<p>An organization lives in one region: ${regions.map((each, index) => html`${index > 0 ? ", " : ""}<code>${each}</code>`)}.
Each region has its own base address and its own data. This page belongs to <code>${region}</code>. Keys and ids contain their
region, so a server recognizes a call for another region without a lookup and returns ${problemLink("wrong_region", links)}.
<code>base_url</code> is the right address. Nothing was done, so it is safe to send the call again. There is no redirect, because
clients drop or leak credentials when they follow one.</p>`,
    jsonBlock("An error, status 421 (shortened)", {
      status: problems.wrong_region.status,
      code: "wrong_region",
      region,
      base_url: baseUrl,
      remedy: problems.wrong_region.remedy,
    }),
  );

const versions = ({ links }: Here): Html =>
  part(
    "versions",
    "Versions",
    html`<p>The version of the API is <code>latest</code>, dated <time>${contractVersion}</time>. It changes only by addition: new
operations, new optional members, new error codes. <a href="${links.page("changelog")}">Changelog and version policy</a></p>`,
  );

const addresses: [path: string, meaning: string][] = [
  ["/latest/openapi.json", "The API as OpenAPI 3.1, with every error"],
  ["/healthz", "200 while the process runs"],
  ["/readyz", "200 while the region accepts calls, otherwise 503 with the reason"],
  ["/metrics", "Metrics in the Prometheus text format"],
];

const otherAddresses = ({ links }: Here): Html =>
  part(
    "other-addresses",
    "Other addresses",
    table(
      "plain",
      "Addresses for GET, without a key",
      ["GET", "Returns"],
      addresses.map(([path, meaning]) => [html`<code>${path}</code>`, sentence(meaning, links)]),
    ),
  );
