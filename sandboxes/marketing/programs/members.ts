import { statusesOf } from "../assets/channels-and-tags.ts";
import { invalidValue, missingParameter, Refusal } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import type { Program, ProgramMember } from "../records.ts";

/** Who is a member of a program. */

export type Row = ProgramMember & { id: number };

export function requireProgram({ instance }: Context, id: number): Program {
  const program = instance.programs.get(id);
  if (!program) throw new Refusal("1013", "Program not found");
  return program;
}

/** A status that the program's channel has. */
export function requireStatus({ channel }: Program, status: unknown, name: string): string {
  if (status === undefined || status === "") throw missingParameter(name);
  if (typeof status !== "string" || !statusesOf(channel).includes(status)) throw invalidValue(name, status);
  return status;
}

/** In the order of the leads' ids; leads that were deleted are members of nothing. */
export function membersOf({ instance }: Context, programId: number): Row[] {
  const members = [...(instance.programMembers.get(programId) ?? [])];
  return members
    .filter(([id]) => instance.leads.find(id))
    .map(([id, member]) => ({ id, ...member }))
    .sort((one, other) => one.id - other.id);
}

export function join(
  { instance, clock }: Context,
  { id }: Program,
  leadId: number,
  status: string,
  acquiredBy = false,
) {
  const members = instance.programMembers.get(id) ?? new Map<number, ProgramMember>();
  instance.programMembers.set(id, members);
  const known = members.get(leadId);
  const now = clock.now();
  members.set(leadId, { acquiredBy, joinedAt: now, ...known, status, updatedAt: now });
}

export const hasSucceeded = ({ channel }: Program, { status }: ProgramMember): boolean =>
  statusesOf(channel).at(-1) === status;

/** As the calls about leads have it. */
export const membershipRecord = (program: Program, member: ProgramMember) => ({
  progressionStatus: member.status,
  isExhausted: false,
  acquiredBy: member.acquiredBy,
  reachedSuccess: hasSucceeded(program, member),
  membershipDate: leadTime(member.joinedAt),
});
