import { inspect } from "node:util";

/** A value that prints as [secret] wherever it ends up: a log line, an error, a JSON body. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The one way out. Search for this name to see every place that handles the plain value. */
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
