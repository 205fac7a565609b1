import { findOrganization } from "../../access/organizations.ts";
import { findProject } from "../../access/projects.ts";
import { findUser } from "../../access/users.ts";
import type { Db } from "../../store/db.ts";
import { type SystemId, systemOf } from "../../systems/index.ts";
import { findConnection, type Instance } from "../connections.ts";

/** What a user reads about a consent, before and after it: which account, for which project, and who requests it. */
export interface ConsentSummary {
  /** As the system names it; before the consent, the account to reconnect, or null. */
  account: string | null;
  /** The name that the requester chose for the connection. */
  label: string | null;
  /** The title of the system. */
  system: string;
  project: string;
  organization: string;
  askedBy: { name: string; email: string };
}

interface Begun {
  system: SystemId;
  instance: Instance;
  organizationId: string;
  projectId: string;
  userId: string;
  label: string | null;
  connectionId: string | null;
}

/** `account` is the one that has signed in meanwhile. */
export async function summaryOf(db: Db, begun: Begun, account?: string): Promise<ConsentSummary> {
  const { projectId, connectionId } = begun;
  const project = await findProject(db, projectId);
  const organization = await findOrganization(db, begun.organizationId);
  const user = await findUser(db, begun.userId);
  const before = connectionId === null ? null : await findConnection(db, projectId, connectionId);
  return {
    account: account ?? before?.identity.label ?? null,
    label: begun.label,
    system: `${systemOf(begun.system).title}${begun.instance === "sandbox" ? " (sandbox)" : ""}`,
    project: project?.name ?? "",
    organization: organization?.name ?? "",
    askedBy: { name: user?.name ?? "", email: user?.email ?? "" },
  };
}
