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

const listOf = (operation, project) => call(operation, { limit: 100 }, project).catch(() => ({ results: [] }));

const choice = ({ name, title }) => {
  const box = make("input", { type: "checkbox", id: `tool-${name}`, value: name });
  return make("div", { className: "choice" }, [box, make("label", { htmlFor: box.id, text: title })]);
};

/** Published tools first: a team has made them for this. */
async function showTools() {
  const project = byId("project").value;
  const [tools, steps] = await Promise.all([listOf("auth/assistants/tools", project), listOf("steps/list", project)]);
  if (byId("project").value !== project) return;
  const named = tools.results.filter(({ name }) => name !== null);
  const ofSteps = steps.results.map(({ step_id: name, title }) => ({ name, title }));
  const list = byId("tools");
  list.replaceChildren(...[...named, ...ofSteps].map(choice));
  if (tools.next) list.append(make("p", { className: "hint", text: "Only the first 100 published tools are listed." }));
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
  await showTools();
}

onSubmit("allow-form", "message", async () => {
  const tools = [...byId("tools").querySelectorAll("input:checked")].map(({ value }) => value);
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
byId("project").addEventListener("change", showTools);

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
