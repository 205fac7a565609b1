import type { Region } from "../../kernel/regions.ts";
import type { ConsentEnd, ConsentSummary } from "../../vault/consent/consents.ts";
import { type HtmlPart, html } from "../documentation/html.ts";
import { plainPage } from "../sign-in/sign-in-frame.ts";

/** The pages contain only data from the store; of the address they repeat nothing but a proven state. */

/** The page before the system's own: what is about to happen, and for which project. */
export const startPage = (region: Region, asked: ConsentSummary, onward: string): string =>
  plainPage(
    { title: "Connect an account", region },
    html`<section class="card" aria-labelledby="title">
<h1 id="title">Connect an account</h1>
<p><strong>${whoAsks(asked)}</strong> asks for an account of yours.</p>
${facts({ ...asked, account: asked.account ?? "You choose it on the next page" })}
<p class="hint">Everyone who may edit this project can then use the account, as far as you allow on the next page.</p>
<p><a class="button primary" href="${onward}">Continue to ${kindOf(asked)}</a></p>
<p class="hint">You did not expect this, or do not know who asks? Close this window: nothing has happened.</p>
</section>`,
  );

export const overPage = (region: Region, why: { detail: string; remedy: string }): string =>
  plainPage(
    { title: "This sign-in is over", region },
    html`<section class="card" aria-labelledby="title">
<h1 id="title">This sign-in is over</h1>
<div class="message bad" role="alert"><p>${why.detail}</p><p>${why.remedy}</p></div>
</section>`,
  );

/**
 * The last page sends two ids, no secrets, to the window that opened it. Only a window of our own origin receives them.
 */
export function endPage(region: Region, end: ConsentEnd, nonce: string, listeners: string[]): string {
  const title = end.ok ? "The account is connected" : "The account was not connected";
  return plainPage(
    { title, region },
    html`<section class="card" aria-labelledby="title">
<h1 id="title">${title}</h1>
${end.ok ? connected(end) : refused(end)}
</section>
${tell(end, nonce, listeners)}`,
  );
}

const connected = (end: ConsentEnd & { ok: true }): HtmlPart => html`${facts(end.asked)}
${end.lacks === null ? null : html`<p class="message bad" role="alert">${end.lacks}</p>`}
<p class="message good" role="status">You can close this window and continue in Signalbox.</p>
${end.next === null ? null : html`<p><a href="${end.next}">Finish at ${kindOf(end.asked)}</a></p>`}
<p class="hint">This is not what you wanted? Take the access back at the system, or ask ${whoAsks(end.asked)} to remove the connection.</p>`;

const refused = (
  end: ConsentEnd & { ok: false },
): HtmlPart => html`<div class="message bad" role="alert"><p>${end.detail}</p><p>${end.remedy}</p></div>
${end.asked === null ? null : html`<p>This is what it was for:</p>${facts(end.asked)}`}
<p class="hint">You can close this window.</p>`;

const whoAsks = ({ askedBy }: ConsentSummary): string => askedBy.name || askedBy.email;

/** The instance is listed among the facts. */
const kindOf = ({ system }: ConsentSummary): string => system.replace(/ \(sandbox\)$/, "");

function facts(asked: ConsentSummary): HtmlPart {
  const { name, email } = asked.askedBy;
  const rows: [string, string | null][] = [
    ["Project", asked.project],
    ["Organization", asked.organization],
    ["Asked for by", name === "" || name === email ? email : `${name} (${email})`],
    ["System", asked.system],
    ["Account", asked.account],
    ["Called here", asked.label === asked.account ? null : asked.label],
  ];
  const shown = rows.filter(([, value]) => value !== null);
  return html`<dl class="facts">${shown.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function tell(end: ConsentEnd, nonce: string, listeners: string[]): HtmlPart {
  const message = end.ok
    ? { type: "signalbox:connected", connect_id: end.connectId, connection_id: end.connectionId }
    : { type: "signalbox:connect_failed", connect_id: end.connectId };
  // A page that says what is missing stays until somebody has read it.
  const close = end.ok && end.lacks === null;
  const result = JSON.stringify({ message, listeners, next: end.ok ? end.next : null, close });
  // A window that a page has opened closes, or continues to the system's last page. Otherwise the user reads the result
  // here.
  return html`<script nonce="${nonce}" data-result="${result}">
const result = JSON.parse(document.currentScript.dataset.result);
if (window.opener) {
  for (const origin of result.listeners) window.opener.postMessage(result.message, origin);
  if (result.next) location.replace(result.next);
  else if (result.close) window.close();
}
</script>`;
}
