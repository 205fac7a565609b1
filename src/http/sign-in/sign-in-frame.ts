import type { Region } from "../../kernel/regions.ts";
import { type HtmlPart, html } from "../documentation/html.ts";
import { iconLink, mark } from "../look/shared-style.ts";

/** The frame of the sign-in pages. Nothing in them comes from the request. */
export interface Frame {
  title: string;
  /** The file in `script/` that makes the page work. */
  script: string;
  region: Region;
  /** Wide pages hold lists and lead to the other pages of the product, the others hold one form. */
  wide?: true;
}

const regionNames: Record<Region, string> = { us: "United States", eu: "Europe", au: "Australia" };

export const page = (frame: Frame, content: HtmlPart): string =>
  framed(
    frame,
    html`<script src="/sign-in/script/scheme.js"></script>
<script type="module" src="/sign-in/script/${frame.script}.js"></script>
`,
    html`${content}
<noscript><p class="message bad">These pages need JavaScript. The API does not: see the <a href="/latest/documentation">reference</a>.</p></noscript>`,
  );

/** The same frame for a page without a script. */
export const plainPage = (frame: Omit<Frame, "script">, content: HtmlPart): string => framed(frame, null, content);

const framed = (frame: Omit<Frame, "script">, script: HtmlPart, content: HtmlPart): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${frame.title} · Signalbox</title>
${iconLink}
<link rel="stylesheet" href="/sign-in/style.css">
${script}</head>
<body>
<header class="top">
<a class="brand" href="/">${mark}<span>Signalbox</span></a>
<div class="top-end">${frame.wide ? otherPages : null}<span class="region" title="The region of this address">${regionNames[frame.region]}</span></div>
</header>
<main class="${frame.wide ? "wide" : "narrow"}" id="main">
${content}
</main>
</body>
</html>
`.text;

const otherPages = html`<nav class="pages" aria-label="Pages"><ul>
<li><a href="/">Console</a></li>
<li><a href="/latest/documentation">Documentation</a></li>
</ul></nav>`;

/** Screen readers announce it as soon as it is filled. */
export const message = (id = "message"): HtmlPart =>
  html`<div class="message bad" id="${id}" role="alert" tabindex="-1" hidden></div>`;

export interface Field {
  id: string;
  label: string;
  type?: "text" | "email" | "password";
  autocomplete: string;
  hint?: string;
  required?: boolean;
  inputmode?: "numeric" | "email";
  maxlength?: number;
}

/** A label, the field and its hint, linked for assistive technology. */
export function field(wanted: Field): HtmlPart {
  const { id, label, type = "text", autocomplete, hint, required = true, inputmode, maxlength } = wanted;
  const describedBy = [hint === undefined ? "" : `${id}-hint`, `${id}-error`].filter(Boolean).join(" ");
  const input = html`<input id="${id}" name="${id}" type="${type}" autocomplete="${autocomplete}" aria-describedby="${describedBy}"${
    required ? html` required` : null
  }${inputmode === undefined ? null : html` inputmode="${inputmode}"`}${
    maxlength === undefined ? null : html` maxlength="${maxlength}"`
  } autocapitalize="none" spellcheck="false">`;
  return html`<div class="field">
<label for="${id}">${label}${required ? null : html` <span class="optional">optional</span>`}</label>
${
  type === "password"
    ? html`<div class="with-button">${input}<button type="button" class="reveal" data-reveals="${id}" aria-pressed="false">Show</button></div>`
    : input
}
${hint === undefined ? null : html`<p class="hint" id="${id}-hint">${hint}</p>`}
<p class="error" id="${id}-error" hidden></p>
</div>`;
}

/** Password managers need the user name even if the user does not type it; the script fills it. */
export const hiddenUsername = (id: string): HtmlPart =>
  html`<input type="email" id="${id}" autocomplete="username" hidden readonly tabindex="-1" aria-hidden="true">`;

/**
 * The main action of a page is primary; with several actions, none is. The script enables it: a submission by the
 * browser alone would go nowhere.
 */
export const submit = (text: string, kind: "primary" | "plain" = "primary"): HtmlPart =>
  html`<button type="submit" class="${kind}" disabled>${text}</button>`;
