import { ask } from "./ask.js";
import { call, callAll } from "./call.js";
import { confirmed } from "./confirm.js";
import { byId, make, moment } from "./page.js";

/** What the account has, as lists of things that can be ended. */

/** "added 17 Nov 2026, 14:05": words and a time that stay together. */
const fact = (words, at) => make("span", { text: words }, at === undefined ? [] : [" ", moment(at)]);
const lastUsed = (at) => (at === null ? fact("not used yet") : fact("last used", at));

/** One row: what it is, what else is known about it, and the way to end it. */
function row({ name, tags = [], more, ending }) {
  const title = make("div", { className: "name" }, [make("span", { text: name }), ...tags.map(tag)]);
  const what = make("div", { className: "what" }, [title, make("div", { className: "more" }, more)]);
  const item = make("li", {}, [what]);
  if (ending) item.append(endButton(item, title, ending));
  return item;
}

const tag = ([text, kind]) => make("span", { className: `tag ${kind}`, text });

/**
 * Asks first. The row then stays where it is and says what became of it, so that no other row comes under the pointer; it is gone
 * when the page is next opened.
 */
function endButton(item, title, { text, label, became, question, after = () => {} }) {
  const button = make("button", { type: "button", className: "small danger", text, ariaLabel: `${text} ${label}` });
  button.addEventListener("click", async () => {
    if (!(await ask(question))) return button.focus();
    item.className = "gone";
    title.append(tag([became, "off"]));
    button.remove();
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
    await after();
  });
  return button;
}

/** "Firefox on Linux" says more than the whole of what a browser calls itself. */
function browserIn(agent) {
  const browser = [
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/Safari\//, "Safari"],
  ].find(([shape]) => shape.test(agent))?.[1];
  const system = [
    [/iPhone|iPad/, "iOS"],
    [/Android/, "Android"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "macOS"],
    [/Linux/, "Linux"],
  ].find(([shape]) => shape.test(agent))?.[1];
  if (browser === undefined) return agent === "" ? "A browser" : agent.slice(0, 60);
  return system === undefined ? browser : `${browser} on ${system}`;
}

const methods = {
  password: "password",
  password_and_code: "password and code",
  passkey: "passkey",
  sign_up: "sign-up",
  oidc: "single sign-on",
  saml: "single sign-on",
};

export async function showSessions() {
  const sessions = await callAll("auth/sessions/list");
  sessions.sort((a, b) => Number(b.current) - Number(a.current) || b.last_seen_at.localeCompare(a.last_seen_at));
  const rows = sessions.map((session) => {
    const name = browserIn(session.user_agent);
    return row({
      name,
      tags: session.current ? [["this one", ""]] : [],
      more: [
        fact(`by ${methods[session.method] ?? session.method}`),
        fact(`from ${session.ip ?? "an unknown address"}`),
        fact("since", session.created_at),
        fact("last used", session.last_seen_at),
      ],
      ending: session.current
        ? null
        : {
            text: "End",
            label: `the session of ${name}`,
            became: "ended",
            question: {
              title: `End the session of ${name}?`,
              text: "That browser is signed out. To continue there, sign in again.",
              action: "End the session",
              work: () => call("auth/sessions/revoke", { session_id: session.session_id }),
            },
          },
    });
  });
  byId("sessions").replaceChildren(...rows);
  byId("end-others").hidden = sessions.length < 2;
}

export async function showPasskeys(onRemoved) {
  const passkeys = await callAll("auth/passkeys/list");
  const rows = passkeys.map((passkey) =>
    row({
      name: passkey.label,
      tags: passkey.synced ? [["on all your devices", ""]] : [],
      more: [fact("added", passkey.created_at), lastUsed(passkey.last_used_at)],
      ending: {
        text: "Remove",
        label: `the passkey ${passkey.label}`,
        became: "removed",
        after: onRemoved,
        question: {
          title: `Remove the passkey “${passkey.label}”?`,
          text: "You can no longer sign in with it here. Your device may still list it: delete it there as well.",
          action: "Remove the passkey",
          work: () => confirmed(() => call("auth/passkeys/remove", { passkey_id: passkey.passkey_id })),
        },
      },
    }),
  );
  byId("passkeys").replaceChildren(...rows);
}

export async function showKeys() {
  const keys = await callAll("auth/keys/list");
  keys.sort((a, b) => Number(b.status === "active") - Number(a.status === "active"));
  const rows = keys.map((key) => {
    const name = key.label || "Key";
    return row({
      name,
      tags: key.status === "active" ? [] : [[key.status, "off"]],
      more: [
        fact(`ends in ${key.hint}`),
        fact("made", key.created_at),
        lastUsed(key.last_used_at),
        ...(key.expires_at === null ? [] : [fact("until", key.expires_at)]),
      ],
      ending:
        key.status === "revoked"
          ? null
          : {
              text: "Revoke",
              label: `the key ${name}`,
              became: "revoked",
              question: {
                title: `Revoke the key “${name}”?`,
                text: `Programs that use the key ending in ${key.hint} are refused from now on. It cannot be brought back.`,
                action: "Revoke the key",
                work: () => call("auth/keys/revoke", { key_id: key.key_id }),
              },
            },
    });
  });
  byId("keys").replaceChildren(...rows);
}
