import { useMantineColorScheme } from "@mantine/core";
import { useRouterState } from "@tanstack/react-router";
import { useMemo } from "react";
import { navPages } from "../pages/nav-pages.ts";
import { wordOf } from "../pages/runs/describe-status.ts";
import { paths } from "../paths.ts";
import { lastProject } from "../state/last-project.ts";
import { signOut } from "../state/sign-out.ts";
import { exampleSystem } from "../state/systems.ts";
import { useProjectId } from "../state/use-project.ts";
import { useRead } from "../state/use-read.ts";
import { useSandboxes } from "../state/use-sandboxes.ts";
import { type Role, useRole, useWho } from "../state/use-who.ts";
import { useWholeList } from "../state/use-whole-list.ts";

export interface Command {
  title: string;
  kind: string;
  /** Where it leads, or what it does. */
  to: string | (() => void);
  /** Further words that find it. */
  also: string;
  /** A page that the server makes, outside of the console. */
  isDocument?: boolean;
}

const organizationParts = [
  ["Single sign-on", "sign-on", "sso oidc saml identity provider domains verify"],
  ["Directory", "directory", "scim token provisioning groups"],
  ["Webhooks", "webhooks", "events deliveries replay outgoing"],
  ["Policies", "policies", "second factor two factor mfa rules"],
  ["Sessions", "sessions", "signed in browsers"],
  ["Retention", "retention", "legal hold archive delete records days"],
] as const;

type Needed = Role | "owner";
const ranks: Needed[] = ["viewer", "editor", "admin", "owner"];

const actionsIn = (projectId: string): [title: string, to: string, also: string, needed: Needed][] => [
  ["Create a tool", `${paths.tools(projectId)}?new=1`, "new workflow build", "editor"],
  ["Import a tool", `${paths.tools(projectId)}?import=1`, "yaml file", "editor"],
  ["Create a deployment", `${paths.deployments(projectId)}?new=1`, "deploy release ship build", "editor"],
  ["Run a report", paths.reports(projectId), "new analytics metrics", "editor"],
  ["Create an agent", `${paths.agents(projectId)}?new=1`, "new assistant model webhook", "editor"],
  ["Create a schedule", `${paths.schedules(projectId)}?new=1`, "new cron clock recurring", "editor"],
  ["Connect an account", paths.connect(projectId), "new integration marketing", "editor"],
  ["Create an API key", `${paths.integrations(projectId)}?tab=keys&new=1`, "token secret", "viewer"],
  ["Invite a person", `${paths.people(projectId)}?invite=1`, "new member add user", "admin"],
  ["Edit the project", `${paths.home(projectId)}?edit=1`, "rename name description settings", "admin"],
  ["Create a service user", `${paths.people(projectId)}?service=1`, "new program account", "owner"],
];

const seldom = 60_000;
const none: Command[] = [];

/** Everything the command menu reaches, but for what stands on the page. It is searched in the browser, so typing never waits for the server. */
export function useCommands(): Command[] {
  const projectId = useProjectId() ?? lastProject();
  const inProject = useProjectCommands(projectId);
  const { data: who } = useWho();
  const projects = useWholeList("/latest/projects/list", { limit: 100 }, { outsideProject: true, staleTime: seldom });
  const hasSandboxes = useSandboxes().length > 0;
  const here = useRouterState({ select: (state) => state.location });
  const { setColorScheme } = useMantineColorScheme();
  return useMemo(() => {
    const found = [...inProject];
    for (const { project_id, name } of projects ?? who?.projects ?? []) {
      found.push({ title: name, kind: "Project", to: paths.home(project_id), also: project_id });
    }
    if (hasSandboxes) {
      const query = new URLSearchParams({ ...here.search, sandboxes: exampleSystem?.system ?? "" });
      const to = `${here.pathname}?${query}`;
      found.push({ title: "Sandboxes", kind: "Action", to, also: "fault clock fail demonstration" });
    }
    found.push(
      { title: "Projects", kind: "Page", to: paths.projects, also: "all" },
      { title: "Create a project", kind: "Action", to: `${paths.projects}?new=1`, also: "new" },
      {
        title: "Organization",
        kind: "Page",
        to: paths.organization,
        also: "name policies settings owners members deactivate",
      },
    );
    for (const [title, tab, also] of organizationParts) {
      found.push({ title, kind: "Organization", to: `${paths.organization}?tab=${tab}`, also });
    }
    found.push(
      { title: "Your account", kind: "Page", to: paths.account, also: "password passkey", isDocument: true },
      { title: "Documentation", kind: "Page", to: paths.documentation, also: "help", isDocument: true },
      { title: "Light colours", kind: "Action", to: () => setColorScheme("light"), also: "theme mode" },
      { title: "Dark colours", kind: "Action", to: () => setColorScheme("dark"), also: "theme mode" },
      { title: "Colours like the system", kind: "Action", to: () => setColorScheme("auto"), also: "theme mode" },
      { title: "Sign out", kind: "Action", to: () => void signOut(), also: "log leave" },
    );
    return found;
  }, [inProject, projects, who, hasSandboxes, here, setColorScheme]);
}

/** Pages, actions, tools, agents, steps, accounts and the newest runs of a project. */
function useProjectCommands(projectId: string | null): Command[] {
  const { may } = useRole(projectId);
  const isOwner = useWho().data?.user.organization_role === "owner";
  const rank = isOwner ? 3 : ranks.findLastIndex((role) => role !== "owner" && may(role));
  const inProject = { when: projectId !== null, staleTime: seldom, inProject: projectId ?? "" };
  const forEditors = { ...inProject, when: projectId !== null && may("editor") };
  const tools = useWholeList("/latest/tools/list", { limit: 100 }, forEditors);
  const agents = useWholeList("/latest/agents/list", { limit: 100 }, forEditors);
  const { data: accounts } = useRead("/latest/connections/list", { limit: 100 }, inProject);
  const { data: steps } = useRead("/latest/steps/list", {}, inProject);
  const { data: runs } = useRead("/latest/runs/list", { limit: 50 }, { ...inProject, staleTime: 10_000 });
  return useMemo(() => {
    if (projectId === null) return none;
    const found: Command[] = [];
    for (const { title, also, to } of navPages) found.push({ title, kind: "Page", to: to(projectId), also });
    for (const [title, to, also, needed] of actionsIn(projectId)) {
      if (ranks.indexOf(needed) <= rank) found.push({ title, kind: "Action", to, also });
    }
    for (const { tool_id: id, title } of tools ?? []) {
      found.push({ title, kind: "Tool", to: paths.tool(projectId, id), also: id });
    }
    for (const { agent_id: id, name } of agents ?? []) {
      found.push({ title: name, kind: "Agent", to: paths.agent(projectId, id), also: id });
    }
    for (const { step_id: id, title, summary } of steps?.results ?? []) {
      found.push({ title, kind: "Step", to: `${paths.tools(projectId)}?step=${id}`, also: `${id} ${summary}` });
    }
    for (const { connection_id: id, label } of accounts?.results ?? []) {
      found.push({ title: label, kind: "Account", to: `${paths.integrations(projectId)}?account=${id}`, also: id });
    }
    for (const { run_id: id, status } of runs?.results ?? []) {
      found.push({ title: id, kind: `Run, ${wordOf(status).toLowerCase()}`, to: paths.run(projectId, id), also: "" });
    }
    return found;
  }, [projectId, rank, tools, agents, accounts, steps, runs]);
}

const wholeRunId = /^run_[a-z]{2}_\w{4,}$/;

/** Every word must begin a word of the command. Titles that begin with the query come first. A whole run id always leads there. */
export function findCommands(commands: Command[], query: string, projectId: string | null): Command[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands;
  const scored = commands.flatMap((command) => {
    const title = command.title.toLowerCase();
    const text = `${title} ${command.also.toLowerCase()} ${command.kind.toLowerCase()}`;
    if (!words.every((word) => startsWord(text, word))) return [];
    return [{ command, score: title.startsWith(wanted) ? 0 : words.every((w) => startsWord(title, w)) ? 1 : 2 }];
  });
  const found = scored.sort((a, b) => a.score - b.score).map(({ command }) => command);
  if (projectId === null || !wholeRunId.test(wanted) || found.some(({ title }) => title === query.trim())) return found;
  return [{ title: query.trim(), kind: "Run", to: paths.run(projectId, query.trim()), also: "" }, ...found];
}

const startsWord = (text: string, word: string): boolean =>
  text.startsWith(word) || text.includes(` ${word}`) || (word.length > 5 && text.includes(word));
