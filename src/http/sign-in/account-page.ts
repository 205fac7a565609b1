import { passwordCharactersMin } from "../../identity/passwords/passwords.ts";
import type { Region } from "../../kernel/regions.ts";
import { type HtmlPart, html } from "../documentation/html.ts";
import { field, hiddenUsername, message, page, submit } from "./sign-in-frame.ts";

const sections = {
  passkeys: "Passkeys",
  codes: "One-time codes",
  password: "Password",
  sessions: "Where you are signed in",
  keys: "API keys",
};

/** A section with its heading, to which the navigation leads. A factor stays while nothing but a second factor is asked for. */
const section = (name: keyof typeof sections, content: HtmlPart, kind: "factor" | "other" = "other"): HtmlPart =>
  html`<section class="card" id="${name}-section" aria-labelledby="${name}-title"${kind === "factor" ? html` data-factor` : null}>
<h2 id="${name}-title" tabindex="-1">${sections[name]}</h2>
${content}
</section>
`;

const passkeys = html`<p>Your device verifies you, by biometrics or a PIN. There is nothing to remember, and nothing that a fake page could steal.</p>
<form class="inline" id="passkey-form" method="post" novalidate>
${field({ id: "passkey-label", label: "Name of the new passkey", autocomplete: "off", required: false, maxlength: 200 })}
${submit("Add a passkey", "plain")}
</form>
<p class="hint" id="no-passkeys" hidden>This browser, or this address, supports no passkeys.</p>
<ul class="list" id="passkeys" aria-labelledby="passkeys-title"></ul>`;

const codes = html`<p id="codes-state">…</p>
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
<p>Each signs you in once if you lose the app. They are shown only now: keep them where you find them without your phone.</p>
<ol class="recovery" id="recovery-codes"></ol>
<div class="buttons"><button type="button" id="recovery-copy">Copy them</button><button type="button" class="primary" id="recovery-done">I have kept them</button></div>
</div>`;

const password = html`<p id="password-state">…</p>
<button type="button" id="password-open" aria-expanded="false" aria-controls="change-form">Change password</button>
<form class="short" id="change-form" method="post" novalidate hidden>
${hiddenUsername("username")}
<div id="current-part">${field({ id: "current-password", label: "Current password", type: "password", autocomplete: "current-password" })}</div>
${field({ id: "new-password", label: "New password", type: "password", autocomplete: "new-password", hint: `At least ${passwordCharactersMin} characters. You are signed out everywhere else.` })}
<div class="buttons">${submit("Save the password")}<button type="button" id="password-cancel">Cancel</button></div>
</form>`;

const sessions = html`<ul class="list" id="sessions" aria-labelledby="sessions-title"></ul>
<button type="button" class="danger" id="end-others" hidden>End all others</button>`;

const keys = html`<p>With a key, a program can do what you can do. Keys keep working when you sign out or change your password.</p>
<form class="inline" id="key-form" method="post" novalidate>
${field({ id: "key-label", label: "What the new key is for", autocomplete: "off", required: false, maxlength: 200 })}
${submit("Create a key", "plain")}
</form>
<div class="message good" id="new-key" role="status" tabindex="-1" hidden><p>Copy your new key. It is shown only now.</p><p><code class="secret" id="new-key-text"></code></p><button type="button" class="small" id="new-key-copy">Copy it</button></div>
<ul class="list" id="keys" aria-labelledby="keys-title"></ul>`;

/** What cannot be taken back is asked about first. The script fills in what, and what follows from it. */
const askDialog = html`<dialog id="ask" aria-labelledby="ask-title" aria-describedby="ask-text">
<h2 id="ask-title"></h2>
<p id="ask-text"></p>
${message("ask-message")}
<div class="buttons"><button type="button" id="ask-cancel">Cancel</button><button type="button" class="primary danger" id="ask-yes"></button></div>
</dialog>`;

const confirmDialog = html`<dialog id="confirm" aria-labelledby="confirm-title">
<h2 id="confirm-title">Is it still you?</h2>
<p>This changes how you sign in, and you signed in a while ago.</p>
${message("confirm-message")}
<form id="confirm-form" method="post" novalidate>
${hiddenUsername("confirm-username")}
<div id="confirm-password-part">
${field({ id: "confirm-password", label: "Password", type: "password", autocomplete: "current-password" })}
${submit("Confirm")}
</div>
<div class="buttons"><button type="button" id="confirm-sso" hidden>Use single sign-on</button><button type="button" id="confirm-passkey" hidden>Use a passkey</button><button type="button" id="confirm-cancel">Cancel</button></div>
</form>
</dialog>`;

/** The script fills the lists, from public operations. */
export const accountPage = (region: Region): string =>
  page(
    { title: "Your account", script: "account", region, wide: true },
    html`<div class="heading">
<div>
<h1 id="title">Your account</h1>
<p class="who" id="who" aria-live="polite">Reading your account…</p>
</div>
<button type="button" class="small" id="sign-out">Sign out</button>
</div>
${message()}
<div class="message good" id="notice" role="status" tabindex="-1" hidden></div>
<div class="account">
<nav class="side" id="side" aria-label="On this page"><ul>
${Object.entries(sections).map(([name, title]) => html`<li><a href="#${name}-section">${title}</a></li>`)}
</ul></nav>
<div class="sections">
<section class="card" id="enrolling" aria-labelledby="enrolling-title" hidden>
<h2 id="enrolling-title" tabindex="-1">Set up a second factor</h2>
<p>Your organization asks for more than a password. Add a passkey, or one-time codes from an app: then you are signed in.</p>
</section>
${section("passkeys", passkeys, "factor")}${section("codes", codes, "factor")}${section("password", password)}${section("sessions", sessions)}${section("keys", keys)}
</div>
</div>
${askDialog}
${confirmDialog}`,
  );
