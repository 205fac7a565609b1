import { call } from "./call.js";
import { byId, make, onClick, onSubmit, say, showProblem } from "./page.js";

/** The request of the assistant is in the address. It is kept for this tab, for people who sign in first and return. */
const kept = "signalbox-assistant";
if (location.search.length > 1) sessionStorage.setItem(kept, location.search);
const asked = new URLSearchParams(sessionStorage.getItem(kept) ?? "");
history.replaceState(null, "", location.pathname);

const client = { client_id: asked.get("client_id") ?? "", redirect_uri: asked.get("redirect_uri") ?? "" };
const goSignIn = () => location.assign(`/sign-in?next=${location.pathname}`);

/** Back to the assistant, with what it needs to know. */
function leaveWith(values) {
  const url = new URL(client.redirect_uri);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  if (asked.has("state")) url.searchParams.set("state", asked.get("state"));
  sessionStorage.removeItem(kept);
  location.assign(url.href);
}

const listOf = (operation, project) => call(operation, { limit: 100 }, project);

/** The names and titles of the chosen tools. Without any, the assistant may use all: so a choice must never get lost unseen. */
const chosen = new Map();

function choice({ name, title }) {
  const box = make("input", { type: "checkbox", id: `tool-${name}`, value: name, checked: chosen.has(name) });
  box.addEventListener("change", () => (box.checked ? chosen.set(name, title) : chosen.delete(name)));
  return make("div", { className: "choice" }, [box, make("label", { htmlFor: box.id, text: title })]);
}

/** Published tools first: a team has made them for this. */
async function readTools(project) {
  const [tools, steps] = await Promise.all([listOf("auth/assistants/tools", project), listOf("steps/list", project)]);
  const named = tools.results.filter(({ name }) => name !== null);
  const ofSteps = steps.results.map(({ step_id: name, title }) => ({ name, title }));
  return { choices: [...named, ...ofSteps], areAll: !tools.next };
}

/** Tools belong to a project: those that the newly chosen one does not have can no longer be chosen. */
function keepOnly(choices) {
  const names = new Map(choices.map(({ name, title }) => [name, title]));
  const gone = [...chosen].filter(([name, title]) => names.get(name) !== title);
  for (const [name] of gone) chosen.delete(name);
  if (gone.length === 0) return;
  const titles = gone.map(([, title]) => title).join(", ");
  say("message", `Not in this project: ${titles}.`, "Check your choice before you press Allow.");
}

async function showTools() {
  const project = byId("project").value;
  const list = byId("tools");
  const hint = (text) => make("p", { className: "hint", text });
  list.replaceChildren(hint("Reading the tools…"));
  try {
    const { choices, areAll } = await readTools(project);
    if (byId("project").value !== project) return;
    keepOnly(choices);
    list.replaceChildren(...choices.map(choice));
    if (!areAll) list.append(hint("Only the first 100 published tools are listed."));
  } catch (error) {
    if (byId("project").value !== project) return;
    const retry = make("button", { type: "button", text: "Try again" });
    retry.addEventListener("click", showToolsNow);
    const titles = [...chosen.values()].join(", ");
    const still = titles === "" ? "" : ` It may use what you have chosen: ${titles}.`;
    list.replaceChildren(hint(`The tools could not be read: ${error.message}${still}`), retry);
  }
}

let reading = Promise.resolve();
const showToolsNow = () => {
  reading = showTools();
};

/** Whether the tools of the project are read, and have all that was chosen before. */
async function isChoiceKept() {
  const before = chosen.size;
  for (let last = null; last !== reading; ) {
    last = reading;
    await last;
  }
  return chosen.size === before;
}

let clientDocument = null;

async function read() {
  const who = await call("auth/info").catch((error) => {
    if (error.code === "unreachable") throw error;
    return null;
  });
  if (who === null) return goSignIn();
  const described = await call("auth/assistants/describe", client);
  const { client_name: name, client_host: origin, redirect_host: host } = described;
  clientDocument = described.client_document;
  byId("client-name").textContent = origin === null ? name : `${name} (${origin})`;
  byId("redirect-host").textContent = host;
  byId("signed-in-as").textContent = who.user.email;
  byId("project").append(...who.projects.map(({ project_id: value, name: text }) => make("option", { value, text })));
  if (who.projects.length === 0) {
    throw Object.assign(new Error("You are in no project yet."), { remedy: "Ask somebody to invite you.", errors: [] });
  }
  byId("reading").hidden = true;
  byId("allow-form").hidden = false;
  byId("title").focus();
  showToolsNow();
}

onSubmit("allow-form", "message", async () => {
  if (!(await isChoiceKept())) return;
  const tools = [...chosen.keys()];
  const wish = {
    ...client,
    ...(clientDocument !== null && { client_document: clientDocument }),
    code_challenge: asked.get("code_challenge") ?? "",
    read_only: byId("may-read").checked,
    ...(asked.has("state") && { state: asked.get("state") }),
    ...(tools.length > 0 && { tools }),
  };
  try {
    const { redirect_url: url } = await call("auth/assistants/allow", wish, byId("project").value);
    sessionStorage.removeItem(kept);
    location.assign(url);
  } catch (error) {
    if (error.code !== "confirmation_required") throw error;
    say("message", "Please sign in again: it was some time ago.", "", [
      { text: "Sign in", href: `/sign-in?next=${location.pathname}` },
    ]);
  }
});
onClick("deny-button", "message", async () => leaveWith({ error: "access_denied" }));
byId("project").addEventListener("change", showToolsNow);

const isComplete = asked.get("response_type") === "code" && asked.get("code_challenge_method") === "S256";
try {
  if (!isComplete) {
    byId("reading").hidden = true;
    say("message", "This request is incomplete.", "Connect again from the assistant: it must use OAuth 2.1 with PKCE.");
  } else await read();
} catch (error) {
  byId("reading").hidden = true;
  if (error.errors === undefined) throw error;
  showProblem("message", error);
}
