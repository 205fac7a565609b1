import { type Action, onTheWire, toPermissions } from "../../../src/access/permissions.ts";
import type { Store } from "../../../src/store/db.ts";
import { seededRandom } from "../../kill-loop/random.ts";
import { withoutSecret } from "../../support/calls/invite-codes.ts";
import { AnswerLost, createCaller, type HttpAnswer, type HttpCaller } from "../../support/processes/http-caller.ts";
import type { World } from "./world.ts";

/** One change that was asked for. `refused`: the call failed, so it must not be there. */
export interface Write {
  tag: string;
  kind: "project" | "key" | "invite";
  state: "sent" | "acknowledged" | "refused" | "unknown";
  status: number;
  code: string;
  id: string;
}

let made = 0;

/** How long a caller waits at most. */
const deadlineSeconds = 60;
const viewer: Action[] = ["role:viewer"];

/**
 * Clients that create projects, keys and invites under names that nobody else uses, and remember what each call was
 * answered. `judge` compares that with the store.
 */
export class Writers {
  readonly writes: Write[] = [];
  /** Answers that no documented error explains, and missing ones, in sentences. */
  readonly broken: string[] = [];
  readonly #world: World;
  readonly #random: () => number;
  readonly #count: number;
  readonly #descriptionBytes: number;
  /** Several sets of clients may use one store. */
  readonly #number = made++;
  #callers: HttpCaller[] = [];
  #callersOf = 0;

  constructor(world: World, seed: number, { clients = 8, descriptionBytes = 500 } = {}) {
    this.#world = world;
    this.#random = seededRandom(seed);
    this.#count = clients;
    this.#descriptionBytes = descriptionBytes;
  }

  count(state: Write["state"]): number {
    return this.writes.filter((each) => each.state === state).length;
  }

  /** Each client makes one write. Returns them. */
  async once(): Promise<Write[]> {
    this.#connect();
    return Promise.all(this.#callers.map((caller) => this.#write(caller)));
  }

  /** Each client goes on until `isOver`, one write after another. */
  async until(isOver: () => boolean): Promise<void> {
    this.#connect();
    await Promise.all(
      this.#callers.map(async (caller) => {
        while (!isOver()) {
          const { state } = await this.#write(caller);
          // A server that is gone refuses at once.
          if (state === "unknown" || state === "refused") await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }),
    );
  }

  async read(operation: string, body: object = {}): Promise<HttpAnswer> {
    this.#connect();
    const [caller] = this.#callers;
    if (!caller) throw new Error("There are no clients.");
    return caller.call(operation, body, this.#headers());
  }

  /** Seconds until a write succeeds again. */
  async untilWritten(secondsMax = 60): Promise<number> {
    const startedAt = performance.now();
    for (;;) {
      this.#connect();
      const [caller] = this.#callers;
      if (caller && (await this.#write(caller)).state === "acknowledged") break;
      if (performance.now() - startedAt > secondsMax * 1000) {
        this.broken.push(`No write succeeded within ${secondsMax} s after the fault had ended.`);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      // A server that has met an error nobody foresaw finishes its calls before it ends.
      await this.#world.startIfEnded();
    }
    return (performance.now() - startedAt) / 1000;
  }

  close(): void {
    for (const caller of this.#callers) caller.close();
    this.#callers = [];
    this.#callersOf = 0;
  }

  /** A new life of the server has another port. */
  #connect(): void {
    const { port } = this.#world;
    if (this.#callersOf === port) return;
    this.close();
    this.#callers = Array.from({ length: this.#count }, () => createCaller(port));
    this.#callersOf = port;
  }

  #headers(): Record<string, string> {
    const { first } = this.#world;
    return { authorization: `Bearer ${first.project_id}:${first.api_key}` };
  }

  async #write(caller: HttpCaller): Promise<Write> {
    const write = this.#next();
    this.writes.push(write);
    try {
      const answer = await withDeadline(caller.call(...this.#callOf(write), this.#headers()));
      write.status = answer.status;
      write.state = answer.status === 200 ? "acknowledged" : "refused";
      write.id = answer.body.project_id ?? answer.body.key_id ?? answer.body.invite_code ?? "";
      write.code = answer.body.code ?? "";
      if (![200, 503, 507].includes(answer.status))
        this.broken.push(`${write.tag} got ${answer.status} ${answer.text}`);
      else if (answer.status !== 200 && answer.headers["retry-after"] === undefined)
        this.broken.push(`${write.tag} got ${answer.status} without Retry-After.`);
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
      write.state = "unknown";
      if (error.message === tooLate) this.broken.push(`${write.tag} got no answer in ${deadlineSeconds} s.`);
    }
    return write;
  }

  #next(): Write {
    const dice = this.#random();
    const kind = dice < 0.5 ? "project" : dice < 0.75 ? "key" : "invite";
    return { tag: `tag-${this.#number}-${this.writes.length}`, kind, state: "sent", status: 0, code: "", id: "" };
  }

  #callOf({ tag, kind }: Write): [string, object] {
    const { organization_id } = this.#world.first;
    const description = "x".repeat(this.#descriptionBytes);
    if (kind === "project") return ["projects/create", { name: tag, description, organization_id }];
    if (kind === "key") return ["auth/keys/create", { label: tag }];
    return ["auth/invite/create", { email: `${tag}@example.org`, permissions: onTheWire(toPermissions(viewer)) }];
  }

  /** What was acknowledged is there once, under the id of the answer; what was refused is not. */
  async judge(store: Store): Promise<{ lost: number; doubled: number; broken: string[] }> {
    const found = Map.groupBy(await store.query<{ tag: string; id: string }>(everything), ({ tag }) => tag);
    const verdict = { lost: 0, doubled: 0, broken: [] as string[] };
    for (const write of this.writes) {
      const there = found.get(write.kind === "invite" ? `${write.tag}@example.org` : write.tag) ?? [];
      const name = `${write.kind} ${write.tag}`;
      if (there.length > 1) {
        verdict.doubled++;
        verdict.broken.push(`${name} is there ${there.length} times.`);
      }
      const [first] = there;
      const isThere = first !== undefined && withoutSecret(first.id) === withoutSecret(write.id);
      if (write.state === "acknowledged" && !isThere) {
        verdict.lost++;
        verdict.broken.push(`${name} was acknowledged, and it is not there.`);
      }
      if (write.state === "refused" && there.length > 0)
        verdict.broken.push(`${name} was refused with ${write.status} ${write.code}, and it is there.`);
    }
    return verdict;
  }
}

const everything = `select name as tag, id from projects where name like 'tag-%'
  union all select label as tag, id from api_keys where label like 'tag-%'
  union all select email as tag, code as id from invites where email like 'tag-%'`;

const tooLate = "too late";

function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AnswerLost(tooLate)), deadlineSeconds * 1000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
