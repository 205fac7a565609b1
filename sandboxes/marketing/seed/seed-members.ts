import type { Activity } from "../activities/activity-log.ts";
import { typeIds } from "../activities/activity-types.ts";
import { statusesOf } from "../assets/channels-and-tags.ts";
import type { Instance } from "../instance.ts";
import type { Program, ProgramMember } from "../records.ts";

type Records = Pick<Instance, "emails" | "landingPages" | "programs">;

const reached: Readonly<Record<number, string>> = {
  [typeIds.sendEmail]: "Sent",
  [typeIds.openEmail]: "Opened",
  [typeIds.clickEmail]: "Clicked",
  [typeIds.fillOutForm]: "Member",
};

/** Members follow from what happened: who got an e-mail of a program, and who filled a form on one of its pages. */
export function seedMembers(records: Records, activities: readonly Activity[]): Instance["programMembers"] {
  const members: Instance["programMembers"] = new Map();
  for (const activity of activities) {
    const word = reached[activity.typeId];
    const program = word === undefined ? undefined : programOf(records, activity);
    if (word === undefined || program === undefined) continue;
    const inProgram = members.get(program.id) ?? new Map<number, ProgramMember>();
    members.set(program.id, inProgram);
    moveOn(inProgram, activity, statusesOf(program.channel), word);
  }
  return members;
}

/** Members of another instance that start with the same. */
export const copyOf = (members: Instance["programMembers"]): Instance["programMembers"] =>
  new Map([...members].map(([id, those]) => [id, new Map([...those].map(([leadId, one]) => [leadId, { ...one }]))]));

function programOf({ emails, landingPages, programs }: Records, activity: Activity): Program | undefined {
  const { typeId, primaryId, attributes } = activity;
  const isForm = typeId === typeIds.fillOutForm;
  const pageId = isForm ? Number(attributes.find(([name]) => name === "Webpage ID")?.[1]) : 0;
  const programId = isForm ? landingPages.get(pageId)?.programId : emails.get(primaryId)?.programId;
  return programId == null ? undefined : programs.get(programId);
}

/** Nobody falls back: opening a second e-mail does not undo a click in the first. */
function moveOn(
  members: Map<number, ProgramMember>,
  { leadId, at }: Activity,
  statuses: readonly string[],
  word: string,
) {
  const known = members.get(leadId);
  const status = statuses.includes(word) ? word : (statuses[0] ?? "Member");
  if (!known) {
    members.set(leadId, { status, acquiredBy: false, joinedAt: at, updatedAt: at });
  } else if (statuses.indexOf(status) > statuses.indexOf(known.status)) {
    known.status = status;
    known.updatedAt = at;
  }
}
