import type { Demand, ReportedLimit } from "../../systems/define.ts";

/*
 * The row that a limit is counted in. "Every limit, budget and cache is keyed by tenant or account": the system names
 * the account, instance or property that a limit belongs to, and the key begins with the organization. So neither calls
 * nor reports of one organization reach the row of another. If two organizations use one quota of a vendor, the
 * vendor's answers inform each of them. The exception is a limit of our own OAuth client, which the vendor counts for
 * all accounts together. It has one row for all organizations, which is never shown, with a part for each of them.
 */

/** A demand, with the key of its row. */
export interface KeyedDemand extends Demand {
  /** The demand is for the organization's part of the limit with this name, in the same row. */
  partOf?: string;
}

const allOrganizations = "*";

export function keyedDemands(demands: readonly Demand[], organizationId: string): KeyedDemand[] {
  const keyed: KeyedDemand[] = [];
  for (const demand of demands) {
    if (!demand.shared) {
      keyed.push({ ...demand, subject: `${organizationId}|${demand.subject}` });
      continue;
    }
    const { shared, ...whole } = { ...demand, subject: `${allOrganizations}|${demand.subject}` };
    const max = demand.max === null ? null : halfOf(demand.max);
    keyed.push(whole, { ...whole, name: partName(demand.name, organizationId), max, partOf: demand.name });
  }
  return keyed;
}

export const keyedReport = ({ shared, ...report }: ReportedLimit, organizationId: string): ReportedLimit => ({
  ...report,
  subject: `${shared ? allOrganizations : organizationId}|${report.subject}`,
});

export const isSharedByAll = (subject: string): boolean => subject.startsWith(`${allOrganizations}|`);

/** The subject as the system names it, which people see. */
export const subjectIn = (key: string): string => key.slice(key.indexOf("|") + 1);

/** The origin of the system that the row belongs to. */
export const originIn = (key: string): string | undefined => key.split("|")[2];

const mark = "|";
const partName = (name: string, organizationId: string): string => `${name}${mark}${organizationId}`;
export const isPart = (name: string): boolean => name.includes(mark);
export const isPartOf = (name: string, organizationId: string): boolean => name.endsWith(`${mark}${organizationId}`);
export const nameIn = (name: string): string => (isPart(name) ? name.slice(0, name.lastIndexOf(mark)) : name);

/** "One organization may not use more than a share while others want some": at most half of what the others leave. */
export const halfOf = (left: number): number => Math.max(1, Math.floor(left / 2));
