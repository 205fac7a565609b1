import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import { seededRandom } from "../random.ts";
import { type AnyNode, after } from "./any-node.ts";

const writerCount = 2;
const pauseMillisecondsMax = 500;
/** An organization has a thousand of them at most. */
const projectsMax = 500;

interface Written {
  kind: "project" | "key" | "invite";
  /** Its name, label or address. */
  tag: string;
  /** As it was acknowledged. */
  id: string;
  isDeleted: boolean;
}

/**
 * Clients that change who may do what while nodes die: each call is repeated with its Idempotency-Key until it is
 * acknowledged. At the end what was acknowledged must be there, once, and nothing else.
 */
export class AccessWriters {
  readonly problems: string[] = [];
  acknowledged = 0;
  readonly #written: Written[] = [];
  readonly #first: FirstRunRegion;
  readonly #node: AnyNode;
  readonly #seed: number;
  readonly #working: Promise<void>[] = [];
  #isOver = false;
  #count = 0;

  constructor(first: FirstRunRegion, node: AnyNode, seed: number) {
    this.#first = first;
    this.#node = node;
    this.#seed = seed;
  }

  begin(): void {
    for (let index = 0; index < writerCount; index++) {
      this.#working.push(this.#work(seededRandom(this.#seed * 1000 + 500 + index)));
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
  }

  async #work(random: () => number): Promise<void> {
    const open: Written[] = [];
    while (!this.#isOver && this.problems.length === 0) {
      const dice = random();
      const toDelete = dice < 0.3 ? open.shift() : undefined;
      if (toDelete) await this.#delete(toDelete, random);
      else if (dice < 0.85) await this.#create("invite", random, open);
      else if (dice < 0.95 || this.#count > projectsMax) await this.#create("key", random, []);
      else await this.#create("project", random, []);
      await after(random() * pauseMillisecondsMax);
    }
  }

  async #create(kind: Written["kind"], random: () => number, open: Written[]): Promise<void> {
    const tag = `tag-${this.#count++}`;
    const viewer = { items: { platformDefault: { actions: { "role:viewer": true } } } };
    const calls = {
      invite: ["auth/invite/create", { email: `${tag}@example.org`, permissions: viewer }, "invite_code"],
      key: ["auth/keys/create", { label: tag }, "key_id"],
      project: [
        "projects/create",
        { name: tag, description: "", organization_id: this.#first.organization_id },
        "project_id",
      ],
    } as const;
    const [operation, body, idName] = calls[kind];
    const answer = await this.#untilAnswered(operation, body, tag, random);
    if (!answer) return;
    const written: Written = { kind, tag, id: String(answer[idName]), isDeleted: false };
    this.#written.push(written);
    open.push(written);
  }

  async #delete(invite: Written, random: () => number): Promise<void> {
    const body = { invite_code: invite.id };
    const answer = await this.#untilAnswered("auth/invite/delete", body, `delete-${invite.tag}`, random);
    if (answer) invite.isDeleted = true;
  }

  async #untilAnswered(
    operation: string,
    body: object,
    key: string,
    random: () => number,
  ): Promise<Record<string, unknown> | null> {
    for (;;) {
      const answer = await this.#node.send(operation, body, random, { "idempotency-key": key });
      if (answer?.status === 200) {
        this.acknowledged++;
        return answer.body;
      }
      if (answer !== null && answer.body.code !== "idempotency_in_progress") {
        this.problems.push(`${operation} ${key} was answered ${answer.status} ${answer.text}`);
        return null;
      }
      await after(100);
    }
  }

  /** "An acknowledged write survives", and "one Idempotency-Key, one effect". Answers how many are lost. */
  async judge(list: (operation: string) => Promise<Record<string, unknown>[]>): Promise<number> {
    const lists = [
      ["invite", "auth/invite/list", "invite_code", "email"],
      ["key", "auth/keys/list", "key_id", "label"],
      ["project", "projects/list", "project_id", "name"],
    ] as const;
    let lost = 0;
    for (const [kind, operation, idName, tagName] of lists) {
      const there = (await list(operation)).filter((row) => String(row[tagName]).startsWith("tag-"));
      const ids = new Set(there.map((row) => String(row[idName])));
      const wanted = this.#written.filter((each) => each.kind === kind && !each.isDeleted);
      for (const { tag, id } of wanted.filter((each) => !ids.has(each.id))) {
        lost++;
        this.problems.push(`The ${kind} ${id} (${tag}) was acknowledged, and it is not there.`);
      }
      const known = new Set(wanted.map(({ id }) => id));
      for (const row of there.filter((each) => !known.has(String(each[idName])))) {
        this.problems.push(`The ${kind} ${row[idName]} (${row[tagName]}) is there, and should not be.`);
      }
    }
    return lost;
  }
}
