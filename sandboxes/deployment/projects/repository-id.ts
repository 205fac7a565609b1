import { createHash } from "node:crypto";

/** The number that the git provider knows a repository or an organization by: the same name, the same number. */
export const repositoryId = (name: string): number => createHash("sha1").update(name).digest().readUInt32BE(0) >>> 4;
