import { passwordCharactersMin } from "../../identity/passwords/passwords.ts";
import type { Region } from "../../kernel/regions.ts";
import { html } from "../documentation/html.ts";
import { field, hiddenUsername, message, page, submit } from "./frame.ts";

const passwordHint = `At least ${passwordCharactersMin} characters. A sentence is easier to remember than a word with a number behind it.`;

/** Each step is a section; the script shows one at a time. */
export const signInPage = (region: Region): string =>
  page(
    { title: "Sign in", script: "sign-in", region },
    html`<section class="card" id="step-password" aria-labelledby="title">
<h1 id="title">Sign in</h1>
${message()}
<form id="password-form" method="post" novalidate>
${field({ id: "email", label: "E-mail", type: "email", autocomplete: "username webauthn", inputmode: "email" })}
<div id="password-part">
${field({ id: "password", label: "Password", type: "password", autocomplete: "current-password" })}
${submit("Sign in")}
</div>
</form>
<div id="sso-part" hidden>
<p class="hint" id="sso-hint"></p>
<button type="button" class="primary" id="sso-button">Continue with single sign-on</button>
<p class="below" id="owner-part" hidden><button type="button" class="link" id="owner-button">I own the organization, and use my password</button></p>
</div>
<div class="or" id="passkey-part" hidden>
<button type="button" id="passkey-button">Use a passkey</button>
</div>
<p class="below"><a href="/forgot">Forgot your password?</a></p>
</section>
<section class="card" id="step-organization" aria-labelledby="organization-title" hidden>
<h1 id="organization-title" tabindex="-1">Which account?</h1>
<p>Your address has an account in more than one organization.</p>
<ul class="choices" id="organizations"></ul>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>
<section class="card" id="step-code" aria-labelledby="code-title" hidden>
<h1 id="code-title">One more step</h1>
${message("code-message")}
<form id="code-form" method="post" novalidate>
${field({
  id: "code",
  label: "Code",
  autocomplete: "one-time-code",
  hint: "The six digits that your authenticator app shows now, or one of your recovery codes.",
  maxlength: 64,
})}
${submit("Go on")}
</form>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>
<section class="card" id="step-passkey" aria-labelledby="passkey-title" hidden>
<h1 id="passkey-title" tabindex="-1">Your passkey, please</h1>
${message("passkey-message")}
<p>Your organization asks for more than a password. Your passkey is that.</p>
<button type="button" class="primary" id="passkey-step-button">Use my passkey</button>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>`,
  );

export const invitePage = (region: Region): string =>
  page(
    { title: "Invitation", script: "invite", region },
    html`<section class="card" id="step-look" aria-labelledby="look-title" aria-live="polite">
<h1 id="look-title" tabindex="-1">Your invitation</h1>
${message()}
<p id="looking">Looking at your invitation…</p>
<div id="seen" hidden>
<dl class="facts">
<div><dt>From</dt><dd id="invited-by"></dd></div>
<div><dt>Organization</dt><dd id="organization"></dd></div>
<div><dt>Project</dt><dd id="project"></dd></div>
<div><dt>For</dt><dd id="invited-email"></dd></div>
</dl>
<div class="buttons">
<button type="button" class="primary" id="new-button">I am new here</button>
<button type="button" id="known-button">I have an account</button>
</div>
</div>
</section>
<section class="card" id="step-sign-up" aria-labelledby="sign-up-title" hidden>
<h1 id="sign-up-title">Who are you?</h1>
${message("sign-up-message")}
<form id="sign-up-form" method="post" novalidate>
${hiddenUsername("username")}
${field({ id: "name", label: "Your name", autocomplete: "name", maxlength: 200 })}
<div id="new-password-part">
${field({ id: "new-password", label: "Password", type: "password", autocomplete: "new-password", hint: passwordHint })}
</div>
<div class="choice" id="passkey-choice" hidden>
<input type="checkbox" id="with-passkey">
<label for="with-passkey">Use a passkey instead of a password</label>
</div>
${submit("Go on")}
</form>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>
<section class="card" id="step-verify" aria-labelledby="verify-title" hidden>
<h1 id="verify-title">Look into your mail</h1>
${message("verify-message")}
<p>We sent eight digits to <strong id="mailed-to"></strong>, to see that the address is yours.</p>
<form id="verify-form" method="post" novalidate>
${field({ id: "mail-code", label: "Code from the mail", autocomplete: "one-time-code", inputmode: "numeric", maxlength: 12 })}
${submit("Join")}
</form>
<p class="below"><button type="button" class="link" id="again-button">Send another code</button></p>
</section>
<section class="card" id="step-accept" aria-labelledby="accept-title" hidden>
<h1 id="accept-title" tabindex="-1">Accept the invitation</h1>
${message("accept-message")}
<p>You are signed in as <strong id="signed-in-as"></strong>.</p>
<div class="buttons">
<button type="button" class="primary" id="accept-button">Accept</button>
<button type="button" id="other-button">Use another account</button>
</div>
</section>
<section class="card" id="step-done" aria-labelledby="done-title" hidden>
<h1 id="done-title" tabindex="-1">You are in</h1>
<p id="done-text"></p>
<p><a class="button primary" href="/account">Go on</a></p>
</section>`,
  );

export const forgotPage = (region: Region): string =>
  page(
    { title: "Forgotten password", script: "forgot", region },
    html`<section class="card" id="step-ask" aria-labelledby="title">
<h1 id="title">Forgot your password?</h1>
<p>Tell us your address. If it has an account here, it gets a mail with a link that sets a new password.</p>
${message()}
<form id="forgot-form" method="post" novalidate>
${field({ id: "email", label: "E-mail", type: "email", autocomplete: "username", inputmode: "email" })}
${submit("Send the link")}
</form>
<p class="below"><a href="/sign-in">Back to sign-in</a></p>
</section>
<section class="card" id="step-sent" aria-labelledby="sent-title" hidden>
<h1 id="sent-title" tabindex="-1">Look into your mail</h1>
<p>If <strong id="sent-to"></strong> has an account here, a link is on its way. It works once, for an hour.</p>
<p>Nothing there? Look at the spam folder, and whether this is the address that you were invited with.</p>
<p class="below"><a href="/sign-in">Back to sign-in</a></p>
</section>`,
  );

export const resetPage = (region: Region): string =>
  page(
    { title: "New password", script: "reset", region },
    html`<section class="card" id="step-reset" aria-labelledby="title">
<h1 id="title">Set a new password</h1>
${message()}
<form id="reset-form" method="post" novalidate>
${hiddenUsername("username")}
${field({ id: "new-password", label: "New password", type: "password", autocomplete: "new-password", hint: passwordHint })}
${submit("Set it")}
</form>
<p class="below"><a href="/forgot">Ask for another link</a></p>
</section>
<section class="card" id="step-done" aria-labelledby="done-title" hidden>
<h1 id="done-title" tabindex="-1">Your password is new</h1>
<p>All sessions of your account were ended. API keys go on as they are.</p>
<p><a class="button primary" href="/sign-in">Sign in</a></p>
</section>`,
  );
