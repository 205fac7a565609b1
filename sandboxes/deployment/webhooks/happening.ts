import type { Deployment, Project } from "../records.ts";

/** Something that happened and that a webhook may tell. */
export interface Happening {
  /** The vendor's name for it, such as `deployment.created`. */
  type: string;
  at: number;
  ownerId: string;
  userId: string;
  project: Project | null;
  deployment: Deployment | null;
  /** What this kind of event says besides. */
  details: object;
}
