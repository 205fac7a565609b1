import { passwordCharactersMin } from "../../identity/passwords/passwords.ts";
import type { Region } from "../../kernel/regions.ts";
import { html } from "../documentation/html.ts";
import { field, hiddenUsername, message, page, submit } from "./frame.ts";

/** The script fills the lists, from public operations. */
export const accountPage = (region: Region): string =>
  page(
    { title: "Your account", script: "account", region, wide: true },
    html`<div class="heading">
<div>
<h1 id="title">Your account</h1>
<p class="who" id="who" aria-live="polite">Looking who you are…</p>
</div>
<button type="button" id="sign-out">Sign out</button>
</div>
${message()}
<div class="message good" id="notice" role="status" tabindex="-1" hidden></div>
<section class="card" id="enrolling" aria-labelledby="enrolling-title" hidden>
<h2 id="enrolling-title" tabindex="-1">Set up a second factor</h2>
<p>Your organization asks for more than a password. Add a passkey, or one-time codes from an app: then you are in.</p>
</section>
<section class="card" aria-labelledby="passkeys-title" data-factor>
<h2 id="passkeys-title">Passkeys</h2>
<p>Your device shows who you are, with a finger, a face or a PIN. Nothing to remember, and nothing that a false page could catch.</p>
<ul class="list" id="passkeys" aria-labelledby="passkeys-title"></ul>
<form class="inline" id="passkey-form" method="post" novalidate>
${field({ id: "passkey-label", label: "Name of the new passkey", autocomplete: "off", required: false, maxlength: 200 })}
${submit("Add a passkey", "plain")}
</form>
<p class="hint" id="no-passkeys" hidden>This browser, or this address, knows no passkeys.</p>
</section>
<section class="card" aria-labelledby="codes-title" data-factor>
<h2 id="codes-title">One-time codes</h2>
<p id="codes-state">…</p>
<div class="buttons" id="codes-buttons"><button type="button" id="codes-begin">Set up an app</button><button type="button" class="danger" id="codes-remove" hidden>Turn off</button></div>
<div id="codes-setup" hidden>
<h3 id="codes-setup-title" tabindex="-1">Show this to your authenticator app</h3>
<div class="qr-row">
<div class="qr" id="qr"></div>
<div>
<p>Or type this secret into it:</p>
<p><code class="secret" id="codes-secret"></code></p>
<form id="codes-form" method="post" novalidate>
${field({ id: "app-code", label: "The code that it shows now", autocomplete: "one-time-code", inputmode: "numeric", maxlength: 7 })}
<div class="buttons">${submit("Turn on")}<button type="button" id="codes-cancel">Cancel</button></div>
</form>
</div>
</div>
</div>
<div id="recovery" hidden>
<h3 id="recovery-title" tabindex="-1">Your recovery codes</h3>
<p>Each opens your account once, should you lose the app. They are shown this once: keep them where you find them without your phone.</p>
<ol class="recovery" id="recovery-codes"></ol>
<div class="buttons"><button type="button" id="recovery-copy">Copy them</button><button type="button" class="primary" id="recovery-done">I have kept them</button></div>
</div>
</section>
<section class="card" aria-labelledby="password-title">
<h2 id="password-title">Password</h2>
<p id="password-state">…</p>
<form id="change-form" method="post" novalidate>
${hiddenUsername("username")}
<div id="current-part">${field({ id: "current-password", label: "Current password", type: "password", autocomplete: "current-password" })}</div>
${field({ id: "new-password", label: "New password", type: "password", autocomplete: "new-password", hint: `At least ${passwordCharactersMin} characters. Your other sessions end with the change.` })}
${submit("Change the password", "plain")}
</form>
</section>
<section class="card" aria-labelledby="sessions-title">
<h2 id="sessions-title">Where you are signed in</h2>
<ul class="list" id="sessions" aria-labelledby="sessions-title"></ul>
<button type="button" id="end-others" hidden>End all others</button>
</section>
<section class="card" aria-labelledby="keys-title">
<h2 id="keys-title">API keys</h2>
<p>A key does what you may do, from a program. Keys do not end with your sessions or your password.</p>
<div class="message good" id="new-key" role="status" tabindex="-1" hidden><p>This is the key. It is shown this once.</p><p><code class="secret" id="new-key-text"></code></p><button type="button" id="new-key-copy">Copy it</button></div>
<ul class="list" id="keys" aria-labelledby="keys-title"></ul>
<form class="inline" id="key-form" method="post" novalidate>
${field({ id: "key-label", label: "What the new key is for", autocomplete: "off", required: false, maxlength: 200 })}
${submit("Create a key", "plain")}
</form>
</section>
<dialog id="confirm" aria-labelledby="confirm-title">
<h2 id="confirm-title">Is it still you?</h2>
<p>This changes how your account is opened, and it is a while since you signed in.</p>
${message("confirm-message")}
<form id="confirm-form" method="post" novalidate>
${hiddenUsername("confirm-username")}
<div id="confirm-password-part">
${field({ id: "confirm-password", label: "Password", type: "password", autocomplete: "current-password" })}
${submit("Confirm")}
</div>
<div class="buttons"><button type="button" id="confirm-sso" hidden>Use single sign-on</button><button type="button" id="confirm-passkey" hidden>Use a passkey</button><button type="button" id="confirm-cancel">Cancel</button></div>
</form>
</dialog>`,
  );
