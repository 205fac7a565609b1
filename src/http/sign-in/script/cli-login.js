import { call } from "./call.js";
import { byId, make, onClick, onSubmit, say, showProblem } from "./page.js";

/** The request of the command line is in the address. It is kept for this tab, for people who sign in first and return. */
const kept = "signalbox-cli-login";
if (location.hash.length > 1) sessionStorage.setItem(kept, `${location.search.slice(1)}&${location.hash.slice(1)}`);
const asked = new URLSearchParams(sessionStorage.getItem(kept) ?? "");
history.replaceState(null, "", location.pathname);

const port = Number(asked.get("port"));
const keyDays = 90;

/** Back to the command line, which waits on this machine alone. */
function leaveWith(values) {
  const url = new URL(`http://127.0.0.1:${port}/callback`);
  url.search = new URLSearchParams({ ...values, state: asked.get("state") ?? "" });
  sessionStorage.removeItem(kept);
  location.replace(url.href);
}

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
const textOf = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

/** Only the command line that asked can read what is encrypted so. */
async function sealed(text) {
  const algorithm = { name: "RSA-OAEP", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("spki", bytesOf(asked.get("public_key")), algorithm, false, ["encrypt"]);
  return textOf(await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(text)));
}

/** The terminal shows the same: a request of somebody else would have another key. */
async function codeOfKey() {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(asked.get("public_key"))));
  const letters = [...hash.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`.toUpperCase();
}

async function read() {
  const who = await call("auth/info").catch((error) => {
    if (error.code === "unreachable") throw error;
    return null;
  });
  if (who === null) return location.assign(`/sign-in?next=${location.pathname}`);
  byId("machine").textContent = asked.get("name") || "this machine";
  byId("signed-in-as").textContent = who.user.email;
  byId("code").textContent = await codeOfKey();
  byId("project").append(...who.projects.map(({ project_id: value, name: text }) => make("option", { value, text })));
  if (who.projects.some(({ project_id: id }) => id === asked.get("project")))
    byId("project").value = asked.get("project");
  byId("reading").hidden = true;
  byId("allow-form").hidden = false;
  byId("title").focus();
}

onSubmit("allow-form", "message", async () => {
  const project = byId("project").value;
  const wish = {
    label: `signalbox on ${asked.get("name") || "a machine"}`.slice(0, 100),
    expires_at: new Date(Date.now() + keyDays * 86_400_000).toISOString(),
    ...(!byId("may-all").checked && project && { project_ids: [project] }),
    ...(byId("may-read").checked && { max_role: "viewer" }),
  };
  try {
    const { api_key: key } = await call("auth/keys/create", wish);
    leaveWith({ key: await sealed(key), project });
  } catch (error) {
    if (error.code !== "confirmation_required") throw error;
    say("message", "Please sign in again: it was some time ago.", "", [
      { text: "Sign in", href: `/sign-in?next=${location.pathname}` },
    ]);
  }
});
onClick("deny-button", "message", async () => leaveWith({ error: "access_denied" }));

const isComplete = port >= 1024 && port <= 65535 && asked.has("state") && asked.has("public_key");
try {
  if (!isComplete || !globalThis.crypto?.subtle) {
    byId("reading").hidden = true;
    const remedy = isComplete
      ? "This page needs https. Create a key in your account, and give it to `signalbox login --with-key`."
      : "Start again with `signalbox login`.";
    say("message", "This request cannot be completed.", remedy);
  } else await read();
} catch (error) {
  byId("reading").hidden = true;
  if (error.errors === undefined) throw error;
  showProblem("message", error);
}
