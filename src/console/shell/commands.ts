import { useRouterState } from "@tanstack/react-router";
import { useMemo } from "react";
import { navPages } from "../pages/pages.ts";
import { paths } from "../paths.ts";
import { lastProject } from "../state/last-project.ts";
import { useSandboxes } from "../state/sandboxes.ts";
import { useProjectId } from "../state/use-project.ts";
import { useRead } from "../state/use-read.ts";
import { useWho } from "../state/who.ts";

export interface Command {
  title: string;
  kind: string;
  to: string;
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
] as const;

/** Everything the command menu reaches. It is searched in the browser, so typing never waits for the server. */
export function useCommands(): Command[] {
  const here = useProjectId();
  const { data: who } = useWho();
  const hasSandboxes = useSandboxes().length > 0;
  const path = useRouterState({ select: (state) => state.location.pathname });
  const projectId = here ?? lastProject();
  const inProject = { when: here !== null, staleTime: 60_000 };
  const { data: tools } = useRead("/latest/tools/list", { limit: 100 }, inProject);
  const { data: agents } = useRead("/latest/agents/list", { limit: 100 }, inProject);
  const { data: steps } = useRead("/latest/steps/list", {}, inProject);
  const { data: runs } = useRead("/latest/runs/list", { limit: 50 }, { ...inProject, staleTime: 10_000 });
  return useMemo(() => {
    const found: Command[] = [];
    if (projectId !== null) {
      for (const { title, also, to } of navPages) found.push({ title, kind: "Page", to: to(projectId), also });
      const actions: [string, string, string][] = [
        ["Create a tool", `${paths.tools(projectId)}?new=1`, "new workflow build"],
        ["Create a deployment", `${paths.deployments(projectId)}?new=1`, "deploy release ship build"],
        ["Run a report", paths.reports(projectId), "new analytics metrics"],
        ["Create an agent", `${paths.agents(projectId)}?new=1`, "new assistant model webhook"],
        ["Create a schedule", `${paths.schedules(projectId)}?new=1`, "new cron clock recurring"],
        ["Invite a person", `${paths.people(projectId)}?invite=1`, "new member add user"],
        ["Connect an account", `${paths.integrations(projectId)}?connect=1`, "new integration marketing deployment"],
        ["Create an API key", `${paths.integrations(projectId)}?tab=keys&new=1`, "token secret"],
      ];
      for (const [title, to, also] of actions) found.push({ title, kind: "Action", to, also });
      for (const tool of tools?.results ?? []) {
        found.push({ title: tool.title, kind: "Tool", to: paths.tool(projectId, tool.tool_id), also: tool.tool_id });
      }
      for (const agent of agents?.results ?? []) {
        const to = paths.agent(projectId, agent.agent_id);
        found.push({ title: agent.name, kind: "Agent", to, also: agent.agent_id });
      }
      for (const step of steps?.results ?? []) {
        const to = `${paths.tools(projectId)}?step=${step.step_id}`;
        found.push({ title: step.title, kind: "Step", to, also: `${step.step_id} ${step.summary}` });
      }
      for (const run of runs?.results ?? []) {
        found.push({ title: run.run_id, kind: `Run, ${run.status}`, to: paths.run(projectId, run.run_id), also: "" });
      }
    }
    for (const project of who?.projects ?? []) {
      found.push({
        title: project.name,
        kind: "Project",
        to: paths.home(project.project_id),
        also: project.project_id,
      });
    }
    if (hasSandboxes) {
      found.push({
        title: "Sandboxes",
        kind: "Action",
        to: `${path}?sandboxes=deployment`,
        also: "fault clock fail demonstration",
      });
    }
    found.push({ title: "Projects", kind: "Page", to: paths.projects, also: "all" });
    found.push({
      title: "Organization",
      kind: "Page",
      to: paths.organization,
      also: "name policies settings owners members deactivate",
    });
    for (const [title, tab, also] of organizationParts) {
      found.push({ title, kind: "Organization", to: `${paths.organization}?tab=${tab}`, also });
    }
    found.push({ title: "Your account", kind: "Page", to: paths.account, also: "password passkey", isDocument: true });
    found.push({ title: "Documentation", kind: "Page", to: paths.documentation, also: "help", isDocument: true });
    return found;
  }, [projectId, who, tools, agents, steps, runs, hasSandboxes, path]);
}

/** Every word must begin a word of the command. Titles that begin with the query come first. A whole run id always leads there. */
export function findCommands(commands: Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands;
  const scored = commands.flatMap((command) => {
    const title = command.title.toLowerCase();
    const text = `${title} ${command.also.toLowerCase()} ${command.kind.toLowerCase()}`;
    if (!words.every((word) => startsWord(text, word))) return [];
    return [
      { command, score: title.startsWith(query.toLowerCase()) ? 0 : words.every((w) => startsWord(title, w)) ? 1 : 2 },
    ];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ command }) => command);
}

const startsWord = (text: string, word: string): boolean =>
  text.startsWith(word) || text.includes(` ${word}`) || (word.length > 5 && text.includes(word));
