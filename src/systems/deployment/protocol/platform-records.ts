/** The parts of the system's records that we use; everything else stays unchanged. */

export interface DeploymentRecord {
  deployment_id: string;
  /** With its scheme: the system writes bare host names. */
  url: string;
  state: string;
  environment: string;
  branch: string | null;
  creator: string | null;
  created_at: string;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textIn = (record: unknown, name: string): string | null => {
  const value = isRecord(record) ? record[name] : undefined;
  return typeof value === "string" && value !== "" ? value : null;
};

/** Items of a list have `uid` and `state`, a single record has `id` and `status`; both have `readyState`. */
export function readDeployment(record: unknown): DeploymentRecord {
  const host = textIn(record, "url") ?? "";
  return {
    deployment_id: idOf(record) ?? "",
    url: host === "" || host.includes("://") ? host : `https://${host}`,
    state: stateOf(record),
    // "null for preview": the word itself never appears there.
    environment: textIn(record, "target") ?? "preview",
    branch: branchOf(record),
    creator: creatorOf(record),
    created_at: momentOf(record),
  };
}

export const idOf = (record: unknown): string | null => textIn(record, "uid") ?? textIn(record, "id");

export const stateOf = (record: unknown): string =>
  textIn(record, "readyState") ?? textIn(record, "state") ?? textIn(record, "status") ?? "UNKNOWN";

export const metaOf = (record: unknown): Record<string, unknown> =>
  isRecord(record) && isRecord(record.meta) ? record.meta : {};

export function branchOf(record: unknown): string | null {
  const meta = metaOf(record);
  for (const name of ["githubCommitRef", "gitlabCommitRef", "bitbucketCommitRef"]) {
    const ref = textIn(meta, name);
    if (ref !== null) return ref;
  }
  return isRecord(record) ? textIn(record.gitSource, "ref") : null;
}

export function commitOf(record: unknown): string | null {
  const meta = metaOf(record);
  for (const name of ["githubCommitSha", "gitlabCommitSha", "bitbucketCommitSha"]) {
    const sha = textIn(meta, name);
    if (sha !== null) return sha;
  }
  return isRecord(record) ? textIn(record.gitSource, "sha") : null;
}

function creatorOf(record: unknown): string | null {
  const creator = isRecord(record) ? record.creator : null;
  return textIn(creator, "username") ?? textIn(creator, "email") ?? textIn(creator, "uid");
}

function momentOf(record: unknown): string {
  const at = createdIn(record);
  // A time that no date can have is none.
  const moment = new Date(typeof at === "number" ? at : Number.NaN);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}

/** When it was created, in milliseconds; 0 if the record does not say so. */
export function createdOf(record: unknown): number {
  const at = createdIn(record);
  return typeof at === "number" ? at : 0;
}

const createdIn = (record: unknown): unknown => (isRecord(record) ? (record.createdAt ?? record.created) : null);

/** "READY is not yet served on its domains": true in a single record, a time in a list. */
export const isServed = (record: unknown): boolean =>
  isRecord(record) &&
  record.aliasAssigned !== false &&
  record.aliasAssigned !== null &&
  record.aliasAssigned !== undefined;

export const aliasErrorOf = (record: unknown): string | null => {
  const error = isRecord(record) ? record.aliasError : null;
  return isRecord(error) ? (textIn(error, "message") ?? textIn(error, "code") ?? "unknown") : null;
};
