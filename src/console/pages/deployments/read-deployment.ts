import type { StatusTone } from "../../ui/StatusDot.tsx";

/** A deployment as the platform shows it in its list (`uid`, `state`) or alone (`id`, `status`). */
export interface Deployment {
  id: string;
  project: string;
  projectId: string;
  url: string | null;
  /** The platform's own page about it. */
  inspectorUrl: string | null;
  state: string;
  environment: string;
  branch: string | null;
  commit: string | null;
  message: string | null;
  creator: string | null;
  createdAt: number;
  buildingAt: number | null;
  /** How long the build took; null while it is under way. */
  buildMilliseconds: number | null;
  aliases: string[];
  /** Why it failed, or why its domains do not serve it. */
  failure: string | null;
  source: string | null;
}

export function readDeployment(record: unknown): Deployment {
  const it = membersOf(record);
  const meta = membersOf(it.meta);
  const git = membersOf(it.gitSource);
  const creator = membersOf(it.creator);
  const state = textOf(it.readyState) ?? textOf(it.state) ?? textOf(it.status) ?? "UNKNOWN";
  const createdAt = numberOf(it.createdAt) ?? numberOf(it.created) ?? 0;
  const of = (name: string) =>
    ["github", "gitlab", "bitbucket"].map((host) => textOf(meta[`${host}${name}`])).find(Boolean);
  return {
    id: textOf(it.uid) ?? textOf(it.id) ?? "",
    project: textOf(membersOf(it.project).name) ?? textOf(it.name) ?? "",
    projectId: textOf(it.projectId) ?? "",
    url: linkOf(textOf(it.url)),
    inspectorUrl: linkOf(textOf(it.inspectorUrl)),
    state,
    environment: textOf(it.target) ?? "preview",
    branch: of("CommitRef") ?? textOf(git.ref),
    commit: of("CommitSha") ?? textOf(git.sha),
    message: of("CommitMessage") ?? null,
    creator: textOf(creator.username) ?? textOf(creator.email) ?? textOf(creator.uid),
    createdAt,
    buildingAt: state === "QUEUED" || state === "INITIALIZING" ? null : numberOf(it.buildingAt),
    buildMilliseconds: buildTime(it),
    aliases: Array.isArray(it.alias) ? it.alias.filter((each) => typeof each === "string") : [],
    failure: textOf(it.errorMessage) ?? textOf(membersOf(it.aliasError).message),
    source: textOf(it.source),
  };
}

function buildTime(it: Record<string, unknown>): number | null {
  const from = numberOf(it.buildingAt);
  const until = numberOf(it.ready) ?? numberOf(it.buildErrorAt) ?? numberOf(it.canceledAt);
  return from === null || until === null ? null : Math.max(0, until - from);
}

/** Only a web address becomes a link, whatever the platform sends. */
function linkOf(text: string | null): string | null {
  if (text === null) return null;
  const link = text.includes("://") ? text : `https://${text}`;
  return URL.canParse(link) && /^https?:$/.test(new URL(link).protocol) ? link : null;
}

export const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
export const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
export const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

const states: Record<string, [word: string, tone: StatusTone]> = {
  QUEUED: ["Queued", "idle"],
  INITIALIZING: ["Starting", "busy"],
  BUILDING: ["Building", "busy"],
  READY: ["Ready", "good"],
  ERROR: ["Failed", "bad"],
  CANCELED: ["Cancelled", "idle"],
  BLOCKED: ["Held back", "warn"],
  DELETED: ["Deleted", "idle"],
};

export const stateOf = (state: string): { text: string; tone: StatusTone } => {
  const [text, tone] = states[state] ?? [state.toLowerCase(), "idle"];
  return { text, tone };
};

const underWay = ["QUEUED", "INITIALIZING", "BUILDING"];

/** "A queued or ongoing deployment can be cancelled." */
export const isUnderWay = ({ state }: Pick<Deployment, "state">): boolean => underWay.includes(state);

/** What the filter offers, by its word in the address. */
export const stateFilters: Record<string, { label: string; states: string[] }> = {
  ready: { label: "Ready", states: ["READY"] },
  building: { label: "Under way", states: underWay },
  failed: { label: "Failed", states: ["ERROR"] },
  cancelled: { label: "Cancelled", states: ["CANCELED"] },
  blocked: { label: "Held back", states: ["BLOCKED"] },
};

export const environmentWord = (environment: string): string =>
  environment.slice(0, 1).toUpperCase() + environment.slice(1);
