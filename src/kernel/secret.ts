import { inspect } from "node:util";

/** A value that prints as [secret] wherever it ends up: a log line, an error, a JSON body. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The only access to the plain value. Search for this name to see every use. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
