import { call, callAll } from "./call.js";
import { confirmed } from "./confirm.js";
import { busy, byId, make } from "./page.js";

/** What the account has, as lists of things that can be ended. */

const moment = (text) =>
  make("time", {
    dateTime: text,
    text: new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }),
  });

/** One row: what it is, what else is known about it, and the way to end it. */
function row({ name, tags = [], more, button }) {
  const tagged = tags.map(([text, kind]) => make("span", { className: `tag ${kind}`, text }));
  const what = make("div", { className: "what" }, [
    make("div", { className: "name", text: name }, tagged),
    make("div", { className: "more" }, more),
  ]);
  return make("li", {}, button ? [what, button] : [what]);
}

function ending(text, label, work) {
  const button = make("button", { type: "button", className: "small danger", text, ariaLabel: `${text} ${label}` });
  button.addEventListener("click", () => busy(button, "message", work));
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
    const end = async () => {
      await call("auth/sessions/revoke", { session_id: session.session_id });
      await showSessions();
    };
    return row({
      name,
      tags: session.current ? [["this one", ""]] : [],
      more: [
        `${methods[session.method] ?? session.method}, ${session.ip ?? "unknown address"}, since `,
        moment(session.created_at),
        ", last used ",
        moment(session.last_seen_at),
      ],
      button: session.current ? null : ending("End", `the session of ${name}`, end),
    });
  });
  byId("sessions").replaceChildren(...rows);
  byId("end-others").hidden = sessions.length < 2;
}

export async function showPasskeys(onChange) {
  const passkeys = await callAll("auth/passkeys/list");
  const rows = passkeys.map((passkey) => {
    const remove = async () => {
      await confirmed(() => call("auth/passkeys/remove", { passkey_id: passkey.passkey_id }));
      await onChange();
    };
    return row({
      name: passkey.label,
      tags: passkey.synced ? [["on all your devices", ""]] : [],
      more: [
        "added ",
        moment(passkey.created_at),
        ...(passkey.last_used_at === null ? [", not used yet"] : [", last used ", moment(passkey.last_used_at)]),
      ],
      button: ending("Remove", `the passkey ${passkey.label}`, remove),
    });
  });
  byId("passkeys").replaceChildren(...rows);
}

export async function showKeys() {
  const keys = await callAll("auth/keys/list");
  keys.sort((a, b) => Number(b.status === "active") - Number(a.status === "active"));
  const rows = keys.map((key) => {
    const name = key.label || "Key";
    const revoke = async () => {
      await call("auth/keys/revoke", { key_id: key.key_id });
      await showKeys();
    };
    return row({
      name,
      tags: key.status === "active" ? [] : [[key.status, "off"]],
      more: [
        `ends in ${key.hint}, made `,
        moment(key.created_at),
        ...(key.last_used_at === null ? [", not used yet"] : [", last used ", moment(key.last_used_at)]),
        ...(key.expires_at === null ? [] : [", until ", moment(key.expires_at)]),
      ],
      button: key.status === "revoked" ? null : ending("Revoke", `the key ${name}`, revoke),
    });
  });
  byId("keys").replaceChildren(...rows);
}
