import { describe, expect, test } from "vitest";
import type { DueMail } from "./mail-queue.store.ts";
import { slots, takeTurns } from "./take-turns.ts";

let count = 0;
const mails = (many: number, organizationId: string | null, kind = "invite"): DueMail[] =>
  Array.from({ length: many }, () => ({ id: `mail_${count++}`, kind, organizationId }));
const whose = (taken: readonly DueMail[]) => taken.map(({ organizationId }) => organizationId);

describe("the next mails", () => {
  test("are those for signing in, then one of each organization in turn", () => {
    const due = [
      ...mails(3, "a"),
      ...mails(2, "b"),
      ...mails(1, "c", "password_reset"),
      ...mails(1, "a", "sign_up_code"),
    ];
    expect(whose(takeTurns(due, []))).toEqual(["c", "a", "a", "b", "a", "b", "a"]);
  });

  test("count those that are under way: whose mails take long comes later", () => {
    const due = [...mails(2, "a"), ...mails(2, "b")];
    expect(whose(takeTurns(due, mails(1, "a")))).toEqual(["b", "a", "b", "a"]);
  });

  test("are of one organization so many at most, also where it is not known", () => {
    for (const organization of ["a", null]) {
      expect(takeTurns(mails(200, organization), [])).toHaveLength(slots.ofOrganization);
      expect(takeTurns(mails(200, organization), mails(slots.ofOrganization, organization))).toEqual([]);
    }
    expect(takeTurns(mails(1, "a", "password_reset"), mails(slots.ofOrganization, "a"))).toHaveLength(1);
  });

  test("leave slots for those for signing in, and never exceed all slots", () => {
    const crowd = Array.from({ length: 30 }, (_, index) => mails(10, `org ${index}`)).flat();
    const taken = takeTurns(crowd, []);
    expect(taken).toHaveLength(slots.ordinary);
    expect(takeTurns(mails(10, "another"), taken)).toEqual([]);
    const links = Array.from({ length: 30 }, (_, index) => mails(1, `org ${index}`, "password_reset")).flat();
    expect(takeTurns(links, taken)).toHaveLength(slots.all - slots.ordinary);
  });
});
