import type { Region } from "../../kernel/regions.ts";
import { html } from "../documentation/html.ts";
import { message, page } from "./sign-in-frame.ts";

/** Where a person allows an assistant to act for them. */
export const assistantPage = (region: Region): string =>
  page(
    { title: "Allow an assistant", script: "assistant", region },
    html`<section class="card" id="step-ask" aria-live="polite">
<h1 id="title" tabindex="-1">Allow an assistant</h1>
${message()}
<p id="reading">Reading the request…</p>
<form id="allow-form" method="post" novalidate hidden>
<p class="intro"><strong id="client-name"></strong> wants to use Signalbox as <strong id="signed-in-as"></strong>. Your choice is sent to <strong id="redirect-host"></strong>.</p>
<div class="field">
<label for="project">Project</label>
<select id="project" name="project"></select>
<p class="hint">The assistant sees and does in it what your role allows.</p>
</div>
<fieldset class="field">
<legend>What it may do</legend>
<div class="choice"><input type="radio" name="may" id="may-read" value="read" checked><label for="may-read">Only read</label></div>
<div class="choice"><input type="radio" name="may" id="may-all" value="all"><label for="may-all">Read and change</label></div>
</fieldset>
<details class="field">
<summary>Only some tools</summary>
<p class="hint">Without a choice here it may use all.</p>
<div id="tools"></div>
</details>
<div class="buttons">
<button type="submit" class="primary" disabled>Allow</button>
<button type="button" id="deny-button">Do not allow</button>
</div>
<p class="below">You can revoke it at any time among your API keys.</p>
</form>
</section>`,
  );
