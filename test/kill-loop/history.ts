/** One call of a client, from the moment it is sent. */
export interface Operation {
  kind: "project" | "invite" | "delete invite" | "key" | "role";
  client: number;
  /** Unlike every other one's: the name, address or label of what it makes. */
  tag: string;
  path: string;
  body: Record<string, unknown>;
  project: string;
  idempotencyKey: string | null;
  /** What it is about: the code of the invite to delete, the person whose role changes. */
  target: string;
  /** "lost": the server was killed before the answer came, so it may have happened or not. */
  state: "sent" | "done" | "lost";
  answer: string;
}

/** Everything that was ever asked of the server, over all its lives, and what it acknowledged. */
export class History {
  readonly operations: Operation[] = [];
  /** What must not have happened, in sentences. */
  readonly problems: string[] = [];

  start(operation: Omit<Operation, "state" | "answer">): Operation {
    const started: Operation = { ...operation, state: "sent", answer: "" };
    this.operations.push(started);
    return started;
  }

  /** Lost ones that may be asked again safely: the key makes sure of one effect. */
  toRepeat(): Operation[] {
    return this.operations.filter((each) => each.state === "lost" && each.idempotencyKey !== null);
  }

  of(kind: Operation["kind"]): Operation[] {
    return this.operations.filter((each) => each.kind === kind);
  }

  complain(sentence: string): void {
    this.problems.push(sentence);
  }
}

export const answerOf = (operation: Operation): Record<string, string> => JSON.parse(operation.answer);
