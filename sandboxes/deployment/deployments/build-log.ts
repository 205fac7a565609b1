import type { Deployment } from "../records.ts";

/** One line of a build's log. */
export interface BuildEvent {
  type: "command" | "stdout" | "stderr" | "exit" | "delimiter" | "deployment-state" | "fatal";
  created: number;
  text?: string;
  level?: "error" | "warning";
  info: { type: string; name: string; entrypoint?: string; readyState?: string };
}

/** What a build prints, and how far into it, from 0 to 1. */
const output: readonly [number, BuildEvent["type"], (deployment: Deployment) => string][] = [
  [0, "stdout", () => "Running build in Washington, D.C., USA (East) – iad1"],
  [
    0.02,
    "stdout",
    ({ gitSource, files, meta, name }) =>
      gitSource
        ? `Cloning ${meta.githubRepo ?? name} (Branch: ${meta.githubCommitRef ?? "none"})`
        : `Retrieving list of deployment files... Downloading ${Math.max(1, files.length)} deployment files...`,
  ],
  [0.1, "stdout", ({ gitSource }) => (gitSource ? "Cloning completed" : "Downloaded the deployment files")],
  [0.12, "command", () => "npm install"],
  [0.3, "stdout", () => "added 312 packages in 2s"],
  [0.35, "command", () => "npm run build"],
  [0.4, "stdout", ({ name }) => `> ${name}@1.0.0 build`],
  [0.6, "stdout", () => "Compiling ..."],
  [0.8, "stdout", () => "Collecting page data ..."],
];

export const buildIdOf = ({ id }: Deployment) => `bld_${id.slice(4, 13).toLowerCase()}`;

/** The whole log as it stands at this moment: computed from the deployment's times, so it costs nothing to keep. */
export function buildLog(deployment: Deployment, now: number): BuildEvent[] {
  const build = { type: "build", name: buildIdOf(deployment), entrypoint: "." };
  const { createdAt, bootedAt, buildingAt, readyAt, failedAt, canceledAt } = deployment;
  const stateInfo = (readyState: string) => ({ type: "deployment", name: deployment.name, readyState });
  const events: BuildEvent[] = [{ type: "deployment-state", created: createdAt, info: stateInfo("QUEUED") }];
  const add = (created: number, type: BuildEvent["type"], text: string, level?: "error") =>
    events.push({ type, created: Math.floor(created), text, info: build, ...(level && { level }) });
  if (bootedAt !== null) events.push({ type: "deployment-state", created: bootedAt, info: stateInfo("INITIALIZING") });
  if (buildingAt !== null) {
    events.push({ type: "deployment-state", created: buildingAt, info: stateInfo("BUILDING") });
    events.push({ type: "delimiter", created: buildingAt, info: build });
    for (const [part, type, say] of output) {
      add(buildingAt + part * deployment.buildMilliseconds, type, say(deployment));
    }
  }
  const end = readyAt ?? failedAt ?? canceledAt;
  const shown = events.filter(({ created }) => created <= Math.min(now, end ?? now));
  events.splice(0, events.length, ...shown);
  if (failedAt !== null) {
    add(failedAt, "stderr", "Type error: Property 'id' does not exist on type '{}'.", "error");
    add(failedAt, "stderr", 'Error: Command "npm run build" exited with 1', "error");
    add(failedAt, "exit", "1");
  } else if (readyAt !== null) {
    add(readyAt, "stdout", "Build Completed in /vercel/output");
    add(readyAt, "stdout", "Deployment completed");
    add(readyAt, "exit", "0");
  } else if (canceledAt !== null) {
    add(canceledAt, "stderr", "The build was canceled.", "error");
  }
  if (end !== null) {
    events.push({ type: "deployment-state", created: end, info: stateInfo(deployment.readyState) });
  }
  return events;
}

/** The next moment at which a running build prints something, or null. */
export function nextLineAt(deployment: Deployment, now: number): number | null {
  const { buildingAt, buildMilliseconds, readyState } = deployment;
  if (readyState !== "BUILDING" || buildingAt === null) return null;
  const moments = output.map(([part]) => Math.floor(buildingAt + part * buildMilliseconds));
  return moments.find((moment) => moment > now) ?? null;
}
