import { expect } from "vitest";
import { deactivateUser, reactivateUser } from "../../src/access/deactivation.ts";
import { readEmail } from "../../src/access/email.ts";
import {
  createAccountAsOperator,
  createKeyAsOperator,
  operatorScope,
  requireAccount,
} from "../../src/access/operator.ts";
import { Problem } from "../../src/kernel/problem.ts";
import type { TestAnswer, TestApp } from "../support/app.ts";
import { allPages } from "../support/team.ts";
import type { AccessModel } from "./access-model.ts";
import { type Account, type Key, type Project, Refused, statusOf } from "./access-records.ts";

export interface Call {
  operation: string;
  body: Record<string, unknown>;
  by: Key;
  project?: Project;
}

let worlds = 0;

/** The real system as the model's commands see it: one of many organizations that share a store. */
export class World {
  readonly app: TestApp;
  readonly #domain = `world${worlds++}.example.com`;

  constructor(app: TestApp) {
    this.app = app;
  }

  /** Addresses are unique to this world: worlds in one store never share one. */
  address = (name: string): string => `${name}@${this.#domain}`;

  /** Runs the rule and the call, and both must agree: on the status and code of a refusal, or on success. */
  async compare<T>(rule: () => T, call: Call): Promise<{ made: T; answer: TestAnswer } | null> {
    const { refusal, made } = outcomeOf(rule);
    const answer = await this.call(call);
    const seen = answer.status === 200 ? "200" : `${answer.status} ${answer.body.code}`;
    expect(seen).toBe(refusal ? `${statusOf[refusal]} ${refusal}` : "200");
    return refusal ? null : { made: made as T, answer };
  }

  call({ operation, body, by, project }: Call): Promise<TestAnswer> {
    return this.app.call(operation, body, { authorization: `Bearer ${project?.id ?? ""}:${by.secret}` });
  }

  /** The whole list, as its records. */
  async list(operation: string, by: Key, project?: Project): Promise<Record<string, unknown>[]> {
    const authorization = `Bearer ${project?.id ?? ""}:${by.secret}`;
    return (await allPages(this.app.call, operation, { limit: 7 }, { authorization })).flat();
  }

  // The operator's actions beside the API.

  #scope = () => operatorScope(this.app.store, "us", this.app.now);

  async join(model: AccessModel, email: string, organization: Account["organization"] | null): Promise<void> {
    const { refusal, made } = outcomeOf(() =>
      organization ? model.createAccount(organization, email) : model.createOrganization(email),
    );
    const address = readEmail(email);
    if (!address) throw new Error(`${email} is no address.`);
    const real = await createAccountAsOperator(this.#scope(), {
      email: address,
      organizationId: organization?.id,
    }).catch((error) => error as Problem);
    if (refusal || real instanceof Error) {
      expect(real).toBeInstanceOf(Problem);
      expect(real).toMatchObject({ code: refusal });
      return;
    }
    if (!made) throw new Error("The model made nothing.");
    made.account.id = real.user.id;
    made.account.organization.id = real.user.organizationId;
    await this.#learnKey(made.account, made.key, real.apiKey);
  }

  async deactivate(model: AccessModel, account: Account): Promise<void> {
    model.deactivate(account);
    await deactivateUser(this.#scope(), account.id);
  }

  async reactivate(model: AccessModel, account: Account): Promise<void> {
    const key = model.reactivate(account);
    const { newKey } = await reactivateUser(this.#scope(), account.id);
    expect(newKey === null).toBe(key === null);
    if (key && newKey) Object.assign(key, { id: newKey.key.id, secret: newKey.apiKey });
  }

  /** A working key for reading the end state; the model learns it too. */
  async freshKey(model: AccessModel, account: Account): Promise<Key> {
    const user = await requireAccount(this.#scope(), { userId: account.id });
    const { key, apiKey } = await createKeyAsOperator(this.#scope(), user, "");
    return Object.assign(model.addKey(account), { id: key.id, secret: apiKey });
  }

  /** The id of a key that was only shown as a secret. */
  async #learnKey(account: Account, key: Key, secret: string): Promise<void> {
    key.secret = secret;
    const [row] = await this.app.store.query<{ id: string }>(
      "select id from api_keys where user_id = $1 order by id desc limit 1",
      [account.id],
    );
    key.id = row?.id ?? "";
  }

  learnAccount(made: { account: Account; key: Key }, body: TestAnswer["body"]): Promise<void> {
    made.account.id = body.user_id;
    return this.#learnKey(made.account, made.key, body.api_key);
  }
}

function outcomeOf<T>(rule: () => T): { refusal: keyof typeof statusOf | null; made: T | null } {
  try {
    return { refusal: null, made: rule() };
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.code, made: null };
    throw error;
  }
}
