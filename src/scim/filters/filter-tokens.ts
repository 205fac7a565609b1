import { badRequest, type ScimRefused } from "../response/scim-error.ts";

export const filterBytesMax = 2048;

export type Literal = string | number | boolean | null;

const space = /[ \t\r\n]/;
const endsWord = /[ \t\r\n()[\]"]/;

export const refuseFilter = (why: string): ScimRefused =>
  badRequest("invalidFilter", `The filter cannot be read: ${why}`);

/** Tokenizes a filter. Its regular expressions test one character at a time, so none can backtrack. */
export class FilterReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    if (Buffer.byteLength(text) > filterBytesMax) throw refuseFilter(`it is longer than ${filterBytesMax} bytes.`);
    this.#text = text;
  }

  /** Returns the next character that is not white space, or an empty text at the end. */
  peek(): string {
    while (space.test(this.#text[this.#at] ?? "x")) this.#at++;
    return this.#text[this.#at] ?? "";
  }

  /** Consumes the character if it is the next one. */
  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at++;
    return true;
  }

  expect(character: string): void {
    if (!this.take(character)) throw refuseFilter(`"${character}" is missing at position ${this.#at + 1}.`);
  }

  /** Reads a name or an operator: up to white space, a bracket or a quote. */
  word(): string {
    this.peek();
    const start = this.#at;
    while (this.#at < this.#text.length && !endsWord.test(this.#text[this.#at] ?? "")) this.#at++;
    if (start === this.#at) throw refuseFilter(`a name or an operator is missing at position ${start + 1}.`);
    return this.#text.slice(start, this.#at);
  }

  /** Consumes the word if it is the next one, in any case. */
  takeWord(wanted: string): boolean {
    const start = this.#at;
    if (this.peek() === "" || endsWord.test(this.peek()) || this.word().toLowerCase() !== wanted) {
      this.#at = start;
      return false;
    }
    return true;
  }

  /** Consumes a character that follows without white space, such as the `.` of `emails[…].value`. */
  takeAdjacent(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /**
   * Reads a JSON value. Also accepts a text without quotes (`externalId eq jyoung`), which one provider's documentation
   * shows.
   */
  literal(): Literal {
    const literal = this.peek() === '"' ? this.#quoted() : this.#bare();
    // No stored value contains this character, and PostgreSQL does not accept it as a parameter.
    if (typeof literal === "string" && literal.includes("\u0000"))
      throw refuseFilter("it contains the character U+0000.");
    return literal;
  }

  #bare(): Literal {
    const word = this.word();
    const folded = word.toLowerCase();
    if (folded === "true" || folded === "false") return folded === "true";
    if (folded === "null") return null;
    return /^-?\d{1,15}(\.\d{1,15})?$/.test(word) && !/^-?0\d/.test(word) ? Number(word) : word;
  }

  #quoted(): string {
    const start = this.#at++;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"')
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    const quoted = this.#text.slice(start, ++this.#at);
    try {
      return String(JSON.parse(quoted));
    } catch {
      throw refuseFilter(`the text at position ${start + 1} is not a JSON string.`);
    }
  }
}
