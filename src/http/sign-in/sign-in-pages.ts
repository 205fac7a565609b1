import { passwordCharactersMin } from "../../identity/passwords/passwords.ts";
import type { Region } from "../../kernel/regions.ts";
import { html } from "../documentation/html.ts";
import { field, hiddenUsername, message, page, submit } from "./sign-in-frame.ts";

const passwordHint = `At least ${passwordCharactersMin} characters. A sentence is easy to remember.`;

/** Each step is a section; the script shows one at a time. */
export const signInPage = (region: Region): string =>
  page(
    { title: "Sign in", script: "sign-in", region },
    html`<section class="card" id="step-password">
<h1 id="title">Sign in</h1>
${message()}
<form id="password-form" method="post" novalidate>
${field({ id: "email", label: "E-mail", type: "email", autocomplete: "username webauthn", inputmode: "email" })}
<div id="sso-part" hidden>
<button type="button" class="primary whole" id="sso-button">Continue with single sign-on</button>
<p class="or" id="sso-or">or</p>
</div>
<div id="password-part">
${field({ id: "password", label: "Password", type: "password", autocomplete: "current-password" })}
${submit("Sign in")}
</div>
</form>
<div id="passkey-part" hidden>
<p class="or">or</p>
<button type="button" class="whole" id="passkey-button">Use a passkey</button>
</div>
<p class="below" id="forgot-part"><a href="/forgot">Forgot your password?</a></p>
<p class="below" id="owner-part" hidden><button type="button" class="link" id="owner-button">Sign in as an owner</button></p>
</section>
<section class="card" id="step-organization" hidden>
<h1 id="organization-title" tabindex="-1">Choose an organization</h1>
<p>Your address has an account in more than one.</p>
<ul class="choices" id="organizations"></ul>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>
<section class="card" id="step-code" hidden>
<h1 id="code-title">Enter your code</h1>
${message("code-message")}
<form id="code-form" method="post" novalidate>
${field({
  id: "code",
  label: "Code",
  autocomplete: "one-time-code",
  hint: "The six digits that your authenticator app shows now, or one of your recovery codes.",
  maxlength: 64,
})}
${submit("Continue")}
</form>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>
<section class="card" id="step-passkey" hidden>
<h1 id="passkey-title" tabindex="-1">Use your passkey</h1>
${message("passkey-message")}
<p>Your organization asks for more than a password.</p>
<button type="button" class="primary whole" id="passkey-step-button">Use my passkey</button>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>`,
  );

export const invitePage = (region: Region): string =>
  page(
    { title: "Invitation", script: "invite", region },
    html`<section class="card" id="step-look" aria-live="polite">
<h1 id="look-title" tabindex="-1">Invitation</h1>
${message()}
<p id="looking">Reading your invitation…</p>
<div id="seen" hidden>
<div id="facts-here">
<p class="intro" id="invited-to"></p>
<dl class="facts" id="facts">
<div><dt>Project</dt><dd id="project"></dd></div>
<div><dt>Organization</dt><dd id="organization"></dd></div>
<div><dt>Your role</dt><dd><span id="role"></span><small id="role-means"></small></dd></div>
<div><dt>Invited by</dt><dd id="invited-by"></dd></div>
<div><dt>For</dt><dd id="invited-email"></dd></div>
<div><dt>Valid until</dt><dd id="valid-until"></dd></div>
</dl>
</div>
<div class="buttons">
<button type="button" class="primary" id="new-button">Create an account</button>
<button type="button" id="known-button">I have an account</button>
</div>
</div>
</section>
<section class="card" id="step-sign-up" hidden>
<h1 id="sign-up-title">What's your name?</h1>
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
${submit("Continue")}
</form>
<p class="below"><button type="button" class="link" data-back>Back</button></p>
</section>
<section class="card" id="step-verify" hidden>
<h1 id="verify-title">Check your e-mail</h1>
${message("verify-message")}
<p class="message good" id="sent-again" role="status" hidden>Another code is on its way. It replaces the one before.</p>
<p>We sent eight digits to <strong id="mailed-to"></strong>. They show that the address is yours.</p>
<form id="verify-form" method="post" novalidate>
${field({ id: "mail-code", label: "Code from the e-mail", autocomplete: "one-time-code", inputmode: "numeric", maxlength: 12 })}
${submit("Join")}
</form>
<p class="below"><button type="button" class="link" id="again-button">Send another code</button></p>
</section>
<section class="card" id="step-accept" hidden>
<h1 id="accept-title" tabindex="-1">Invitation</h1>
${message("accept-message")}
<div id="accept-facts"></div>
<p>You are signed in as <strong id="signed-in-as"></strong>.</p>
<div class="buttons">
<button type="button" class="primary" id="accept-button">Accept</button>
<button type="button" id="other-button">Use another account</button>
</div>
</section>
<section class="card" id="step-done" hidden>
<h1 id="done-title" tabindex="-1">You're in</h1>
<p id="done-text"></p>
<p><a class="button primary" id="done-link" href="/">Continue</a></p>
</section>`,
  );

export const forgotPage = (region: Region): string =>
  page(
    { title: "Forgotten password", script: "forgot", region },
    html`<section class="card" id="step-ask">
<h1 id="title">Forgot your password?</h1>
<p>Enter your address. If it has an account here, we send you a link that sets a new password.</p>
${message()}
<form id="forgot-form" method="post" novalidate>
${field({ id: "email", label: "E-mail", type: "email", autocomplete: "username", inputmode: "email" })}
${submit("Send the link")}
</form>
<p class="below"><a href="/sign-in">Back to sign-in</a></p>
</section>
<section class="card" id="step-sent" hidden>
<h1 id="sent-title" tabindex="-1">Check your e-mail</h1>
<p>If <strong id="sent-to"></strong> has an account here, a link is on its way. It works once, for an hour.</p>
<p>Nothing there? Look into the spam folder, and check that this is the address that you were invited with.</p>
<p class="below"><a href="/sign-in">Back to sign-in</a></p>
</section>`,
  );

export const resetPage = (region: Region): string =>
  page(
    { title: "New password", script: "reset", region },
    html`<section class="card" id="step-reset">
<h1 id="title">Set a new password</h1>
${message()}
<form id="reset-form" method="post" novalidate>
${hiddenUsername("username")}
${field({ id: "new-password", label: "New password", type: "password", autocomplete: "new-password", hint: passwordHint })}
${submit("Save the password")}
</form>
<p class="below"><a href="/forgot">Ask for another link</a></p>
</section>
<section class="card" id="step-done" hidden>
<h1 id="done-title" tabindex="-1">Your password was changed</h1>
<p>You were signed out everywhere. API keys keep working.</p>
<p><a class="button primary" href="/sign-in">Sign in</a></p>
</section>`,
  );
