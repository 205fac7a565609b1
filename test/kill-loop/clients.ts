import { type Action, onTheWire, toPermissions } from "../../src/access/permissions.ts";
import type { FirstRunRegion } from "../../src/start/first-run/first-run.ts";
import { AnswerLost, createCaller, type HttpCaller } from "../support/processes/http-caller.ts";
import { answerOf, type History, type Operation } from "./history.ts";
import { seededRandom } from "./random.ts";

export const clientCount = 16;
const roles: Action[][] = [["role:viewer"], ["role:editor"], ["admin"], ["role:viewer", "role:editor"]];

export const granting = (actions: Action[]) => onTheWire(toPermissions(actions));

/** Sixteen clients that go on asking for a random mix of changes until the server is gone. */
export class Clients {
  readonly #history: History;
  readonly #first: FirstRunRegion;
  /** One person for each client, whose role only that client changes: their last value is known. */
  readonly #people: string[];
  readonly #randoms: (() => number)[];
  /** Codes of each client's invites that were acknowledged, and that nobody has tried to delete. */
  readonly #openInvites: string[][] = Array.from({ length: clientCount }, () => []);
  #count = 0;

  constructor(history: History, first: FirstRunRegion, people: string[], seed: number) {
    this.#history = history;
    this.#first = first;
    this.#people = people;
    this.#randoms = Array.from({ length: clientCount }, (_, i) => seededRandom(seed * 1000 + i));
  }

  /** Resolves when every client has lost the server. */
  async workUntilLost(port: number): Promise<void> {
    await Promise.all(this.#randoms.map((random, i) => this.#work(port, i, random)));
  }

  async #work(port: number, client: number, random: () => number): Promise<void> {
    const caller = createCaller(port);
    let operation: Operation;
    do {
      operation = this.#next(client, random);
      await this.#ask(caller, operation);
    } while (operation.state === "done");
    caller.close();
  }

  /** After a restart: a client without an answer asks again, with the same Idempotency-Key. */
  async repeatLost(port: number): Promise<void> {
    const caller = createCaller(port);
    for (const operation of this.#history.toRepeat()) await this.#ask(caller, operation);
    caller.close();
  }

  /** A repeat of what was acknowledged gets the very same answer, across any number of lives of the server. */
  async repeatDone(port: number, operations: Operation[]): Promise<void> {
    const caller = createCaller(port);
    for (const operation of operations) {
      const answer = await this.#send(caller, operation).catch((error: Error) => error);
      const isSame = !(answer instanceof Error) && answer.status === 200 && answer.text === operation.answer;
      if (isSame && answer.headers["idempotency-replayed"] === "true") continue;
      const got = answer instanceof Error ? answer.message : `${answer.status} ${answer.text}`;
      this.#history.complain(`The repeat of ${operation.kind} ${operation.tag} got: ${got}`);
    }
    caller.close();
  }

  async #ask(caller: HttpCaller, operation: Operation): Promise<void> {
    try {
      const { status, text } = await this.#send(caller, operation);
      operation.state = "done";
      operation.answer = text;
      if (status !== 200) this.#history.complain(`${operation.kind} ${operation.tag} was answered ${status} ${text}.`);
      else if (operation.kind === "invite")
        this.#openInvites[operation.client]?.push(answerOf(operation).invite_code ?? "");
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
      operation.state = "lost";
    }
  }

  #send(caller: HttpCaller, { path, body, project, idempotencyKey }: Operation) {
    const authorization = `Bearer ${project}:${this.#first.api_key}`;
    const key = idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey };
    return caller.call(path, body, { authorization, ...key });
  }

  #next(client: number, random: () => number): Operation {
    const tag = `tag-${client}-${this.#count++}`;
    const idempotencyKey = random() < 0.5 ? `once-${tag}` : null;
    const base = { tag, client, project: this.#first.project_id, idempotencyKey, target: "" };
    const dice = random();
    if (dice < 0.2) {
      const body = { name: tag, description: "", organization_id: this.#first.organization_id };
      return this.#history.start({ ...base, kind: "project", path: "projects/create", body, project: "" });
    }
    if (dice < 0.45) {
      const body = { email: `${tag}@example.org`, permissions: granting(["role:viewer"]) };
      return this.#history.start({ ...base, kind: "invite", path: "auth/invite/create", body });
    }
    if (dice < 0.6) {
      return this.#history.start({ ...base, kind: "key", path: "auth/keys/create", body: { label: tag }, project: "" });
    }
    const invite_code = dice < 0.8 ? this.#openInvites[client]?.shift() : undefined;
    if (invite_code !== undefined) {
      const wanted = { path: "auth/invite/delete", body: { invite_code }, target: invite_code };
      return this.#history.start({ ...base, kind: "delete invite", ...wanted });
    }
    const target = this.#people[client] ?? "";
    const body = { permissions: granting(roles[Math.floor(random() * roles.length)] ?? ["admin"]) };
    return this.#history.start({ ...base, kind: "role", path: `auth/users/${target}/update`, body, target });
  }
}
