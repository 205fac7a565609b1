/** What every page does with its forms and messages. No markup is made from text here or anywhere. */

export const byId = (id) => document.getElementById(id);

/** An element with text and children. */
export function make(tag, { text, ...properties } = {}, children = []) {
  const element = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/** Says what went wrong, where a screen reader hears it at once. */
export function say(id, text, remedy) {
  const box = byId(id);
  box.replaceChildren(make("p", { text }), ...(remedy ? [make("p", { text: remedy })] : []));
  box.hidden = text === "";
  if (text !== "") box.focus();
}

/** Codes that the API explains for programs, said for people. */
const inWords = {
  sign_in_failed: ["This address and this password do not belong together.", "Look at both once more."],
  rate_limited: ["Too many tries.", "Wait a quarter of an hour, and try again."],
  challenge_gone: ["That took too long, or was used already.", "Begin again."],
  code_refused: ["This code is wrong, was used already, or is too old.", "Take the one that is shown now."],
  passkey_refused: ["This passkey opens no account here.", "Use another one, or your password."],
  passkey_unusable: [
    "This passkey cannot be kept.",
    "Try again; your device has to ask for a PIN, a finger or a face.",
  ],
  password_wrong: ["This is not your password.", ""],
  account_deactivated: ["It was you, but your account is deactivated.", "Ask the owner of your organization."],
  invite_not_found: [
    "There is no such invitation.",
    "It was withdrawn, or the link is not whole. Ask whoever invited you.",
  ],
  invite_already_accepted: ["This invitation was accepted already.", "Sign in with the account that accepted it."],
  invite_expired: ["This invitation has expired.", "Ask whoever invited you to send it again."],
  email_taken: ["You have an account there already.", "Sign in with it."],
  wrong_region: ["This invitation belongs to another region.", "Open the link from the mail once more."],
  last_second_factor: [
    "Your organization asks for a second factor, and this is your last one.",
    "Add another one first.",
  ],
  sso_required: ["Your organization signs in at its own identity provider.", ""],
};

export function showProblem(id, error) {
  const [text, remedy] = inWords[error.code] ?? [error.message, error.remedy];
  say(id, text, remedy);
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
 * (`fields` maps members of the body to ids), everything else in the message.
 */
export function onSubmit(formId, messageId, work, fields = {}) {
  const form = byId(formId);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (hasComplaint(form)) return;
    await busy(event.submitter ?? form.querySelector("button[type=submit]"), messageId, work, (error) => {
      const known = error.errors.filter((each) => fieldOf(each.pointer, fields) !== undefined);
      for (const each of known) blame(fieldOf(each.pointer, fields), each.detail);
      if (known.length === 0) return false;
      byId(fieldOf(known[0].pointer, fields)).focus();
      return true;
    });
  });
  for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = false;
}

export function onClick(id, messageId, work) {
  const button = byId(id);
  button.addEventListener("click", () => busy(button, messageId, work));
}

/** A button that is at work cannot be pressed again, and keeps its place in the order of focus. */
export async function busy(button, messageId, work, explained = () => false) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  say(messageId, "");
  try {
    await work();
  } catch (error) {
    if (error.name === "NotAllowedError" || error.name === "AbortError") return;
    if (error.errors === undefined) {
      console.error(error);
      say(messageId, "Something went wrong on this page.", "Load it again.");
    } else if (!explained(error)) showProblem(messageId, error);
  } finally {
    button.removeAttribute("aria-disabled");
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
