/** What every page does with its forms and messages. No markup is made from text here or anywhere. */

export const byId = (id) => document.getElementById(id);

/** An element with text and children. */
export function make(tag, { text, ...properties } = {}, children = []) {
  const element = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/** A time in the words of the person's own place; the style keeps it on one line. */
export const moment = (text, styles = { dateStyle: "medium", timeStyle: "short" }) =>
  make("time", { dateTime: text, text: new Date(text).toLocaleString([], styles) });

/** Says what went wrong, where a screen reader hears it at once; `links` are ways out of it. */
export function say(id, text, remedy, links = []) {
  const box = byId(id);
  box.replaceChildren(
    make("p", { text }),
    ...(remedy ? [make("p", { text: remedy })] : []),
    ...links.map((link) => make("p", {}, [make("a", link)])),
  );
  box.hidden = text === "";
  if (text !== "") box.focus();
}

/** Codes that the API explains for programs, said for people. */
const inWords = {
  sign_in_failed: ["The e-mail address or the password is wrong.", "Check both, and try again."],
  rate_limited: ["Too many tries.", "Wait a quarter of an hour, and try again."],
  challenge_gone: ["That took too long, or was used already.", "Start again."],
  code_refused: ["This code is wrong, was used already, or is too old.", "Type the one that your app shows now."],
  passkey_refused: ["This passkey belongs to no account here.", "Use another one, or your password."],
  passkey_unusable: [
    "This passkey cannot be used.",
    "Try again; your device has to ask for a PIN, a finger or a face.",
  ],
  password_wrong: ["This is not your password.", ""],
  account_deactivated: ["Your account is deactivated.", "Ask the owner of your organization."],
  invite_not_found: [
    "There is no such invitation.",
    "It was withdrawn, or the link is incomplete. Ask the person who invited you.",
  ],
  invite_already_accepted: ["This invitation was accepted already.", "Sign in with the account that accepted it."],
  address_unverified: [
    "Nothing shows that the invited address is yours.",
    "Set a password with the link that we mail to it. Then open the invitation again.",
  ],
  invite_expired: ["This invitation has expired.", "Ask the person who invited you to send it again."],
  email_taken: ["You have an account there already.", "Sign in with it."],
  wrong_region: ["This invitation belongs to another region.", "Open the link from the e-mail once more."],
  last_second_factor: [
    "Your organization asks for a second factor, and this is your last one.",
    "Add another one first.",
  ],
  sso_required: ["Your organization signs in with single sign-on.", ""],
};

/** A page on which the person can fix it. */
const waysOut = {
  invite_already_accepted: { text: "Sign in", href: "/sign-in?next=/" },
  email_taken: { text: "Sign in", href: "/sign-in?next=/" },
  address_unverified: { text: "Set a password", href: "/forgot" },
};

/** `words` are what a page says of some codes itself. */
export function showProblem(id, error, words = {}) {
  const [text, remedy] = words[error.code] ?? inWords[error.code] ?? [error.message, error.remedy];
  const link = error.ssoUrl ? { text: "Continue with single sign-on", href: error.ssoUrl } : waysOut[error.code];
  say(id, text, remedy, link ? [link] : []);
}

/** What is wrong with one field, beside it. */
export function blame(inputId, text) {
  const input = byId(inputId);
  const note = byId(`${inputId}-error`);
  note.textContent = text;
  note.hidden = text === "";
  if (text === "") input.removeAttribute("aria-invalid");
  else input.setAttribute("aria-invalid", "true");
}

function complaintAbout(input) {
  if (input.required && input.value.trim() === "") return "Please fill this in.";
  if (input.type === "email" && !input.validity.valid) return "This does not look like an e-mail address.";
  return "";
}

/** The first field that cannot stay as it is gets the focus; answers whether there was one. */
function hasComplaint(form) {
  const inputs = [...form.querySelectorAll("input")].filter((input) => input.offsetParent !== null && input.id);
  const wrong = inputs.filter((input) => {
    const text = complaintAbout(input);
    if (byId(`${input.id}-error`)) blame(input.id, text);
    return text !== "";
  });
  wrong[0]?.focus();
  return wrong.length > 0;
}

/** Which field of the page a pointer into the body means. */
const fieldOf = (pointer, fields) => fields[pointer.replace(/^#\//, "")];

/**
 * Runs `work` when the form is sent: once at a time, with the button saying so. What the API has against a field is shown beside it
 * (`fields` maps members of the body to ids), everything else in the message, in the page's own `words` where it has some.
 */
export function onSubmit(formId, messageId, work, fields = {}, words = {}) {
  const form = byId(formId);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (hasComplaint(form)) return;
    await busy(event.submitter ?? form.querySelector("button[type=submit]"), messageId, work, (error) => {
      const known = error.errors.filter((each) => fieldOf(each.pointer, fields) !== undefined);
      for (const each of known) blame(fieldOf(each.pointer, fields), each.detail);
      if (known.length === 0) return showProblem(messageId, error, words);
      byId(fieldOf(known[0].pointer, fields)).focus();
    });
  });
  for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = false;
}

export function onClick(id, messageId, work) {
  const button = byId(id);
  button.addEventListener("click", () => busy(button, messageId, work));
}

/** The second click of somebody who clicks twice comes within this time. */
const doubleClickMilliseconds = 600;

/**
 * A button that is at work cannot be pressed again, and keeps its place in the order of focus. Once its work is done, the
 * second half of a double click does nothing either.
 */
export async function busy(button, messageId, work, explain = (error) => showProblem(messageId, error)) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  const release = () => button.removeAttribute("aria-disabled");
  say(messageId, "");
  try {
    await work();
    setTimeout(release, doubleClickMilliseconds);
  } catch (error) {
    release();
    if (error.name === "NotAllowedError" || error.name === "AbortError") return;
    if (error.errors === undefined) {
      console.error(error);
      say(messageId, "Something went wrong on this page.", "Load it again.");
    } else explain(error);
  }
}

/** One of several sections; what comes first in it gets the focus, so that nobody is left behind. */
export function showStep(id) {
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== id;
  const step = byId(id);
  const heading = step.querySelector("h1");
  document.title = `${heading.textContent} · Signalbox`;
  const first = [...step.querySelectorAll("input, h1[tabindex]")].find((element) => element.offsetParent !== null);
  first?.focus();
}

/** Show and hide what is typed as a password. */
for (const button of document.querySelectorAll("[data-reveals]")) {
  const input = byId(button.dataset.reveals);
  button.setAttribute("aria-label", `Show ${input.labels[0]?.textContent.toLowerCase() ?? "password"}`);
  button.addEventListener("click", () => {
    const shown = input.type === "password";
    input.type = shown ? "text" : "password";
    button.textContent = shown ? "Hide" : "Show";
    button.setAttribute("aria-pressed", String(shown));
  });
}
