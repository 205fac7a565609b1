import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import type { Tokens } from "../accounts/tokens.ts";
import { anonymousHeaders } from "../http/anonymous-headers.ts";
import { changeInstallation, changeRegistration, showInstallations, showRegistration } from "./dashboard-pages.ts";
import { exchangeCode } from "./exchange-code.ts";
import { page } from "./html.ts";
import { type InstallFlow, install, showInstalledPage, showInstallPage } from "./install-page.ts";

type Flow = InstallFlow & { tokens: Tokens };

/** What needs no bearer token: pages that a person sees, and the exchange of a code. Null is "not here". */
export function answerPage(flow: Flow, call: SandboxCall): SandboxAnswer | null {
  const { path, method } = call;
  // One look at the first letters keeps the API's own calls fast.
  if (path.startsWith("/v")) {
    if (!isExchange(path) || method !== "POST") return null;
    const answer = exchangeCode(flow.world, flow.installations, flow.tokens, call);
    return { ...answer, headers: { ...anonymousHeaders(flow.world), ...answer.headers } };
  }
  if (path.startsWith("/integrations/")) return answerInstall(flow, call);
  if (path.startsWith("/dashboard/")) return answerDashboard(flow, call);
  return null;
}

const isExchange = (path: string) => /^\/v\d+\/oauth\/access_token$/.test(path);

function answerInstall(flow: Flow, call: SandboxCall): SandboxAnswer | null {
  const [, , slug, last, ...more] = call.path.split("/");
  if ((last !== "new" && last !== "installed") || more.length > 0) return null;
  if (slug !== flow.installations.registration.slug) {
    return page("Integration not found", "<p>There is no integration of this name.</p>", 404);
  }
  if (last === "installed") return showInstalledPage();
  if (call.method === "POST") return install(flow, call);
  return call.method === "GET" ? showInstallPage(flow, call) : null;
}

function answerDashboard(flow: Flow, call: SandboxCall): SandboxAnswer | null {
  const [, , section, id, ...more] = call.path.split("/");
  if (section !== "integrations" || more.length > 1) return null;
  if (id === "console") return call.method === "POST" ? changeRegistration(flow, call) : showRegistration(flow);
  if (id === undefined) return showInstallations(flow);
  return call.method === "POST" ? changeInstallation(flow, call, id) : null;
}
