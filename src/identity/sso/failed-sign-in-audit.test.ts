import { expect, test } from "vitest";
import { startScim } from "../../../test/support/scim/scim.ts";
import { givePassword, lastMail } from "../../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { operatorScope } from "../../access/operator.ts";
import { verifyAsOperator } from "./domains.ts";

const primary = (value: string) => ({ emails: [{ value, type: "work", primary: true }] });

/** "Audit rows of an account only where its address is verified for that organization." */
describeOnBothStores("audit rows of a failed sign-in", (kind) => {
  async function start() {
    const team = await startScim(kind);
    const { owner: victim } = await team.neighbour();
    await givePassword(team, victim);
    const failuresIn = async (organizationId: string): Promise<(string | null)[]> => {
      const rows = await team.store.query<{ target: string | null }>(
        "select target from audit_log where organization_id = $1 and action = 'sign_in.failed' order by seq",
        [organizationId],
      );
      return rows.map(({ target }) => target);
    };
    const mistype = async (email = victim.email) => {
      const { status } = await team.call("auth/sign_in/password", { email, password: "not what it should be" });
      expect(status).toBe(401);
    };
    return { team, victim, failuresIn, mistype, ours: team.owner.organizationId };
  }

  test("are not in an organization whose directory sent an address of a foreign domain", async () => {
    const { team, victim, failuresIn, mistype, ours } = await start();
    const made = await team.user("victim", primary(victim.email));
    const [row] = await team.store.query("select email_key from users where id = $1", [made.id]);
    expect(row).toEqual({ email_key: victim.email });
    await mistype();
    expect(await failuresIn(ours)).toEqual([]);
    expect(await failuresIn(victim.organizationId)).toEqual([victim.userId]);
    // Nor after the directory is disconnected.
    expect((await team.call(`directory/${team.directoryId}/delete`, {}, { as: team.owner })).status).toBe(200);
    await mistype();
    expect(await failuresIn(ours)).toEqual([]);
  });

  test("are not gained by giving the address to an account with a verified address", async () => {
    const { team, victim, failuresIn, mistype, ours } = await start();
    const mallory = await team.colleague("mallory");
    await team.user("mallory", primary(mallory.email));
    await mistype(mallory.email);
    expect(await failuresIn(ours)).toEqual([mallory.userId]);
    await team.patch(`/Users/${mallory.userId}`, { op: "replace", value: primary(victim.email) });
    await mistype();
    expect(await failuresIn(ours)).toEqual([mallory.userId]);
  });

  test("are in an organization that has verified the domain of the address", async () => {
    const { team, failuresIn, mistype, ours } = await start();
    const { id } = await team.user("carl", primary("carl@example.com"));
    await mistype("carl@example.com");
    expect(await failuresIn(ours)).toEqual([]);
    await verifyAsOperator(operatorScope(team.store, "us", team.now), ours, "example.com");
    await mistype("carl@example.com");
    expect(await failuresIn(ours)).toEqual([id]);
  });

  test("are in an organization to whose account the person signed in with a mailed link", async () => {
    const { team, failuresIn, mistype, ours } = await start();
    const { id } = await team.user("dora", primary("dora@example.net"));
    await team.call("auth/password/forgot", { email: "dora@example.net" });
    const { details } = await lastMail(team, "password_reset");
    const reset = { token: details.token, new_password: "a sentence that nobody guesses" };
    expect((await team.call("auth/password/reset", reset)).status).toBe(200);
    await mistype("dora@example.net");
    expect(await failuresIn(ours)).toEqual([id]);
  });
});
