import { expect } from "vitest";
import type { TestAnswer } from "../support/app.ts";
import { allPages, type Team } from "../support/team.ts";

/** Starts `work` this many turns of the event loop later: over the rounds of a race each side gets a head start. */
export async function after<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  return work();
}

export const manyAtOnce = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

/** "200", or the code of the problem. */
export const outcomeOf = (answer: TestAnswer): string =>
  answer.status === 200 ? "200" : `${answer.status} ${answer.body.code}`;

export interface Standing {
  memberships: { user_id: string; actions: string[] }[];
  pending: string[];
  accepted: { actions: string[] }[];
}

/** How a project's lists show one address: as a member, and as someone invited. */
export async function standingIn(team: Team, projectId: string, email: string): Promise<Standing> {
  const options = { as: team.owner, project: projectId };
  const list = async (operation: string): Promise<Listed[]> =>
    (await allPages(team.call, operation, { limit: 100 }, options)).flat() as unknown as Listed[];
  const members = (await list("auth/users/list")).filter((each) => each.email.toLowerCase() === email);
  const invites = (await list("auth/invite/list")).filter((each) => each.email.toLowerCase() === email);
  return {
    memberships: members.map((each) => ({ user_id: each.user_id, actions: actionsOf(each) })),
    pending: invites.filter((each) => each.status === "pending").map((each) => each.invite_code),
    accepted: invites.filter((each) => each.status === "accepted").map((each) => ({ actions: actionsOf(each) })),
  };
}

interface Listed {
  email: string;
  user_id: string;
  invite_code: string;
  status: string;
  permissions: { items: { platformDefault: { actions: Record<string, boolean> } } };
}

const actionsOf = (listed: Listed): string[] => Object.keys(listed.permissions.items.platformDefault.actions);

/** "Never two memberships, never a pending invite for a member." */
export function expectInOnce(standing: Standing): void {
  expect(standing.memberships).toHaveLength(1);
  expect(standing.pending).toEqual([]);
}

export interface AuditRecord {
  action: string;
  user_id: string;
  target: string;
}

/** The organization's audit rows in the order in which the changes happened. */
export async function auditOf(team: Team): Promise<AuditRecord[]> {
  const wanted = { limit: 100, whole_organization: true };
  const pages = await allPages(team.call, "audit/list", wanted, team.inProject(team.owner));
  return pages.flat().reverse() as unknown as AuditRecord[];
}
