import type { Region } from "../../kernel/regions.ts";
import { html } from "../documentation/html.ts";
import { message, page } from "./sign-in-frame.ts";

/** Where a person confirms `signalbox login`: it creates an API key for the command line of their machine. */
export const cliLoginPage = (region: Region): string =>
  page(
    { title: "Log in on the command line", script: "cli-login", region },
    html`<section class="card" id="step-ask" aria-live="polite">
<h1 id="title" tabindex="-1">Log in on the command line</h1>
${message()}
<p id="reading">Reading the request…</p>
<form id="allow-form" method="post" novalidate hidden>
<p class="intro">The command line on <strong id="machine"></strong> wants to use Signalbox as <strong id="signed-in-as"></strong>. Allow it only if you started it, and if your terminal shows the code <strong id="code"></strong>.</p>
<div class="field">
<label for="project">Project</label>
<select id="project" name="project"></select>
</div>
<fieldset class="field">
<legend>What it may do</legend>
<div class="choice"><input type="radio" name="may" id="may-all" value="all" checked><label for="may-all">What you may do, in all your projects</label></div>
<div class="choice"><input type="radio" name="may" id="may-project" value="project"><label for="may-project">What you may do, in this project only</label></div>
<div class="choice"><input type="radio" name="may" id="may-read" value="read"><label for="may-read">Only read, in this project only</label></div>
</fieldset>
<div class="buttons">
<button type="submit" class="primary" disabled>Allow</button>
<button type="button" id="deny-button">Do not allow</button>
</div>
<p class="below">It gets an API key for 90 days. You can revoke it at any time in your account.</p>
</form>
</section>`,
  );
