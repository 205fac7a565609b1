import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call, Client, ClientWorld } from "./client.ts";

const beside = "belongs to a product beside the deployment platform";

/** Every normal command of the vendor's own command line, as a person types it in a linked folder. */
export const vercelCommandLine: Client = {
  name: "vercel",
  title: "vercel 64.0.2 (the command line)",
  packages: { vercel: "64.0.2" },
  // The version that it asks for is not in the registry, and no command here needs it.
  overrides: { sandbox: "4.5.0" },
  from: "npm",
  sandbox: "deployment",
  leftOut: {
    "integration list": `marketplace: ${beside}`,
    "edge-config list": beside,
    "blob list-stores": beside,
    "redirects list": `bulk redirects: ${beside}`,
    "rolling-release fetch": "there are no rolling releases here",
    "firewall overview": beside,
    "flags list": beside,
    usage: "billing: nothing is paid for here",
    contract: "billing: nothing is paid for here",
    "logs of a deployment":
      "queries of the vendor's observability product (`/v1/observability/events`): nothing is served here",
    "microfrontends pull": beside,
    "project checks web": "there are no checks here",
    "project access-groups web": "access groups of the Enterprise plan",
    "project token web": "OIDC tokens for development: nothing here takes them",
    "cache purge --yes": "nothing is served, so nothing is cached",
  },
  calls,
};

async function* calls({ folder, served, credentials, ids }: ClientWorld): AsyncIterable<Call> {
  const home = mkdtempSync(join(folder, "home-"));
  const project = join(home, "project");
  mkdirSync(project);
  writeFileSync(join(project, "index.html"), "<h1>Hello</h1>");
  const scope = ["--api", served.url, "--token", credentials.token, "--scope", credentials.team_slug];
  const vercel = (args: readonly string[], typed = "") => run(folder, home, project, [...args, ...scope], typed);
  const command = (name: string, typed = ""): Call => ({ name, send: () => vercel(name.split(" "), typed) });
  const named = (name: string, args: readonly string[], typed = ""): Call => ({
    name,
    send: () => vercel(args, typed),
  });
  const advance = (seconds: number) =>
    fetch(`${served.url}/_sandbox/clock`, { method: "POST", body: JSON.stringify({ advance_seconds: seconds }) });
  const { token, team_id: teamId } = credentials;
  const get = async (path: string) => {
    const join = path.includes("?") ? "&" : "?";
    const headers = { authorization: `Bearer ${token}` };
    // biome-ignore lint/suspicious/noExplicitAny: whatever the endpoint answers.
    return (await (await fetch(`${served.url}${path}${join}teamId=${teamId}`, { headers })).json()) as any;
  };

  for (const name of ["whoami", "teams ls", "project ls", "project inspect web", "link --yes --project web"])
    yield command(name);
  for (const name of ["teams members", "project protection web", "deploy-hooks ls", "crons ls", "env ls production"])
    yield command(name);
  for (const name of [
    "ls --status READY",
    "ls",
    "ls web",
    "ls --prod",
    "ls --meta action=redeploy",
    "project members web",
    "target ls",
  ])
    yield command(name);
  const list = await get(`/v6/deployments?projectId=${ids.project_id}&target=production&state=READY&limit=5`);
  const [newest, older] = list.deployments;
  yield named("inspect a deployment", ["inspect", newest.url]);
  yield named("inspect with its log", ["inspect", newest.url, "--logs"]);
  yield named("logs of a deployment", ["logs", newest.url]);
  yield named("promote", ["promote", older.url, "--yes", "--timeout", "0"]);
  yield command("promote status web");
  yield named("rollback", ["rollback", newest.url, "--yes", "--timeout", "0"]);
  yield command("rollback status web");
  yield command("env ls");
  yield named("env add", ["env", "add", "FROM_CLI", "preview", "--yes"], "on\n");
  yield named("env update", ["env", "update", "FROM_CLI", "preview", "--yes"], "off\n");
  yield command("env pull --yes");
  yield command("env rm FROM_CLI preview --yes");
  yield command("pull --yes --environment=production");
  yield command("domains ls");
  yield command("domains inspect acme.example");
  yield command("domains add www.cli.example web");
  yield command("alias ls");
  yield named("alias set", ["alias", "set", newest.url, "cli.vercel.app"]);
  yield command("alias rm cli.vercel.app --yes");
  yield command("dns ls");
  yield command("dns add acme.example cli A 192.0.2.1");
  const { records } = await get("/v4/domains/acme.example/records");
  const record = records?.find(({ name }: { name: string }) => name === "cli");
  yield named("dns rm", ["dns", "rm", record?.id ?? record?.uid ?? "none"], "y\n");
  yield command("certs ls");
  yield command("certs issue acme.example");
  const { certs } = await get("/v4/now/certs");
  yield named("certs rm", ["certs", "rm", certs?.[0]?.uid ?? certs?.[0]?.id ?? "none"], "y\n");
  yield command("domains rm acme.example --yes");
  yield command("project add from-cli");
  yield command("project update from-cli --build-command make --yes");
  yield command("project rename from-cli from-cli-two");
  yield named("project rm", ["project", "rm", "from-cli-two"], "y\n");
  yield command("tokens ls");
  yield command("tokens add from-cli");
  yield command("webhooks ls");
  yield command("webhooks create https://events.example/ --event deployment.created");
  yield command("activity ls");
  yield command("api /v2/user");
  yield named("deploy without waiting", ["deploy", "--yes", "--no-wait"]);
  yield named("deploy to production", ["deploy", "--yes", "--prod", "--no-wait"]);
  await advance(60);
  yield named("redeploy", ["redeploy", newest.url, "--no-wait"]);
  const [made] = (await get("/v6/deployments?limit=1")).deployments;
  await advance(60);
  yield named("remove a deployment", ["remove", made.url, "--yes"]);
  yield command("git disconnect --yes");
  for (const name of Object.keys(vercelCommandLine.leftOut)) if (name !== "logs of a deployment") yield command(name);
}

function run(folder: string, home: string, cwd: string, args: readonly string[], typed: string): Promise<void> {
  const program = join(folder, "node_modules", "vercel", "dist", "vc.js");
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    VERCEL_TELEMETRY_DISABLED: "1",
    NO_UPDATE_NOTIFIER: "1",
    CI: "1",
  };
  return new Promise((resolve, reject) => {
    const options = { cwd, env: environment, timeout: 60_000 };
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      if (!error) return resolve();
      const said = `${stderr}${stdout}`.split("\n").filter((line) => /error|unknown|not |fail/i.test(line));
      reject(new Error((said.slice(0, 2).join(" ") || error.message).trim()));
    });
    child.stdin?.end(typed);
  });
}
