import type { TestPerson } from "../app.ts";
import type { StoreKind } from "../stores.ts";
import { sandboxUrls, startWrapped, type WrapSandbox } from "../systems/vault.ts";
import { startTeam, type TestRole } from "../team.ts";

interface Answered {
  decision?: string;
  granted?: string[];
  person?: string;
  /** The only projects of an installation, by id. */
  projects?: string[];
  /** The id of the personal account or team that installs. */
  owner?: string;
}

/** A user in a browser: starts a consent, submits the system's real consent page, and returns. */
export async function startPopUp(
  kind: StoreKind,
  system: "deployment" | "analytics",
  role?: TestRole,
  /** Where the region really listens, for a browser that returns to it. */
  baseUrl?: string,
  wrap: WrapSandbox = (create) => create,
) {
  const sandbox = await startWrapped(system, wrap);
  const sandboxes = sandboxUrls({ [system]: sandbox.url });
  const team = await startTeam(kind, { sandboxes, ...(baseUrl === undefined ? {} : { baseUrl }) });
  const person: TestPerson = role ? await team.colleague("connector", role) : team.owner;
  const asPerson = team.inProject(person);

  /** Our own page first, which redirects a program. */
  async function systemsPage(connectUrl: string): Promise<string> {
    const { pathname, search } = new URL(connectUrl);
    const answer = await team.app.inject({ method: "GET", url: pathname + search });
    const location = answer.headers.location;
    if (location === undefined) throw new Error(`Nobody is led on: ${answer.statusCode} ${answer.body}`);
    return location;
  }

  const answerPage = async (connectUrl: string, answered?: Answered): Promise<URL> =>
    answerAt(await systemsPage(connectUrl), answered);

  const answerAt = (url: string, answered?: Answered): Promise<URL> => answerConsentPage(system, url, answered);

  return {
    team,
    sandbox,
    asOwner: team.inProject(team.owner),
    async connect(more: Record<string, unknown> = {}, options = asPerson) {
      const { status, body, text } = await team.call(
        "connections/connect",
        { system, instance: "sandbox", ...more },
        options,
      );
      if (status !== 200) throw new Error(`Nothing was begun: ${text}`);
      return { ...(body as { connect_url: string; connect_id: string; expires_at: string }), person };
    },
    systemsPage,
    /** Submits the system's own page, at its address. */
    answerAt,
    consent: answerPage,
    async comeBack(answer: URL) {
      const response = await team.app.inject({ method: "GET", url: answer.pathname + answer.search });
      const result = /data-result="([^"]*)"/.exec(response.body)?.[1] ?? "null";
      const text = response.body;
      return {
        status: response.statusCode,
        headers: response.headers,
        text,
        result: JSON.parse(withoutEntities(result)),
      };
    },
    async status(connectId: string, options = team.inProject(team.owner)) {
      return (await team.call("connections/status", { connect_id: connectId }, options)).body;
    },
  };
}

/** A person answers the page of a system. `send` is the network of their browser. Returns where the page leads. */
export async function answerConsentPage(
  system: "deployment" | "analytics",
  url: string,
  { decision, granted, person, projects, owner }: Answered = {},
  send: (url: URL, init?: RequestInit) => Promise<Response> = fetch,
): Promise<URL> {
  const shown = await send(new URL(url));
  const form = formIn(await shown.text(), url);
  if (system === "analytics") {
    form.fields.set("person", person ?? "administrator");
    if (granted) {
      form.fields.delete("granted");
      for (const scope of granted) form.fields.append("granted", scope);
    }
  }
  if (projects) form.fields.set("access", "selected");
  for (const id of projects ?? []) form.fields.append("project", id);
  if (owner !== undefined) form.fields.set("owner", owner);
  form.fields.set("decision", decision ?? (system === "analytics" ? "allow" : "install"));
  const answer = await send(form.action, { method: "POST", body: form.fields, redirect: "manual" });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`The page leads nowhere: ${answer.status} ${await answer.text()}`);
  return new URL(location);
}

/** What a browser would send if the user submitted the page's form unchanged. */
function formIn(page: string, url: string): { action: URL; fields: URLSearchParams } {
  const fields = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(input)?.[1];
    const isChosen = !/type="(radio|checkbox)"/.test(input) || / checked/.test(input);
    const name = attribute("name");
    if (name !== undefined && isChosen) fields.append(withoutEntities(name), withoutEntities(attribute("value") ?? ""));
  }
  const action = withoutEntities(/<form[^>]*action="([^"]*)"/.exec(page)?.[1] ?? url);
  return { action: new URL(action, url), fields };
}

const withoutEntities = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
