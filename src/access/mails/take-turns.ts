import type { DueMail } from "./mail-queue.store.ts";

/** How many mails one process sends at once. Some slots are left for mails that somebody waits for at the sign-in page. */
export const slots = { all: 50, ordinary: 40, ofOrganization: 10 };

const forSignIn: ReadonlySet<string> = new Set(["password_reset", "sign_up_code"]);

/**
 * The mails to send next: those for signing in first, then one of each organization in turn. An organization whose mails take long, because
 * of how the servers of their recipients respond, never has all slots.
 */
export function takeTurns(due: readonly DueMail[], underWay: Iterable<DueMail>): DueMail[] {
  const groups = new Map<string, number>();
  let [all, ordinary] = [0, 0];
  const take = (mail: DueMail) => {
    groups.set(groupOf(mail), usedBy(mail) + 1);
    all++;
    if (!isForSignIn(mail)) ordinary++;
  };
  const usedBy = (mail: DueMail): number => groups.get(groupOf(mail)) ?? 0;
  for (const mail of underWay) take(mail);

  const waiting = new Map<string, number>();
  const inOrder = due.map((mail) => {
    const turn = usedBy(mail) + (waiting.get(groupOf(mail)) ?? 0);
    waiting.set(groupOf(mail), (waiting.get(groupOf(mail)) ?? 0) + 1);
    return { mail, turn };
  });
  inOrder.sort((a, b) => Number(isForSignIn(b.mail)) - Number(isForSignIn(a.mail)) || a.turn - b.turn);

  return inOrder.flatMap(({ mail }) => {
    const isFull = all >= slots.all || (!isForSignIn(mail) && ordinary >= slots.ordinary);
    if (isFull || usedBy(mail) >= slots.ofOrganization) return [];
    take(mail);
    return [mail];
  });
}

const isForSignIn = ({ kind }: DueMail): boolean => forSignIn.has(kind);

const groupOf = (mail: DueMail): string => `${isForSignIn(mail)} ${mail.organizationId ?? ""}`;
