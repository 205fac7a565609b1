import { findOrganization } from "../../access/organizations.ts";
import { findProjectById } from "../../access/projects.ts";
import { findAccount } from "../../access/users.ts";
import type { Db } from "../../store/db.ts";
import { type SystemId, systemOf } from "../../systems/index.ts";
import { findConnection, type Instance } from "../connections.ts";

/** What a person is told of a sign-in, before it and after it: which account, for which project, and who wants that. */
export interface ConsentAsked {
  /** As it calls itself; before the sign-in, the one that is to come back, or null. */
  account: string | null;
  /** What it is to be called here, where somebody said so. */
  label: string | null;
  /** What kind of system, for people. */
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
export async function askedOf(db: Db, begun: Begun, account?: string): Promise<ConsentAsked> {
  const { projectId, connectionId } = begun;
  const project = await findProjectById(db, projectId);
  const organization = await findOrganization(db, begun.organizationId);
  const user = await findAccount(db, begun.userId);
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
