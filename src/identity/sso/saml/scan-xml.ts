/**
 * Scans XML in one linear pass before any parser sees it. Refuses documents that could mislead a parser or make it work
 * long.
 */

/** Limits of a document. */
export interface XmlCaps {
  characters: number;
  elements: number;
  attributesOfElement: number;
  attributes: number;
  namespaces: number;
  depth: number;
  /** Of the value of one attribute. */
  valueCharacters: number;
  /** Of one element's own text. */
  textCharacters: number;
  /** Comments and processing instructions. */
  comments: "ignored" | "refused";
}

/** Names, values and texts as written: entities are not decoded. */
export interface XmlElement {
  name: string;
  /** Without the prefix. */
  localName: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  text: string;
}

/** The message is a sentence for the sender of the document. */
export class XmlRefused extends Error {
  override readonly name = "XmlRefused";
}

const stop = (why: string): XmlRefused => new XmlRefused(why);

/** Returns the root element. Throws XmlRefused. */
export function scanXml(text: string, caps: XmlCaps): XmlElement {
  if (text.length > caps.characters) throw stop(`It is longer than ${caps.characters} characters.`);
  return new Scanner(text, caps).read();
}

/** Depth first, in the order of the document. */
export function* elementsOf(root: XmlElement): Generator<XmlElement> {
  const open = [root];
  for (let element = open.pop(); element; element = open.pop()) {
    yield element;
    for (let index = element.children.length - 1; index >= 0; index--) {
      const child = element.children[index];
      if (child) open.push(child);
    }
  }
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Decodes a value or text. Refuses all entities except the five of XML, since document types are refused. */
export const plainXml = (text: string): string =>
  text.replace(/&([^;&]{0,10})(;?)/g, (_whole, name: string, end: string) => {
    const character = end === "" ? undefined : (named[name] ?? numbered(name));
    if (character === undefined) throw stop("It holds an entity that is not known.");
    return character;
  });

function numbered(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name) ?? [];
  const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

// Each pattern is sticky (`y`) and repeats one class of characters, so it cannot backtrack.
const nameShape = /[A-Za-z_\u0080-\uffff][\w:.\-\u0080-\uffff]*/y;
const declarationShape = /<\?xml[ \t\r\n][^?<>]{0,200}\?>/y;
const spaces = /[ \t\r\n]*/y;

class Scanner {
  readonly #text: string;
  readonly #caps: XmlCaps;
  readonly #open: XmlElement[] = [];
  #root: XmlElement | null = null;
  #at = 0;
  #elements = 0;
  #attributes = 0;
  #namespaces = 0;

  constructor(text: string, caps: XmlCaps) {
    this.#text = text;
    this.#caps = caps;
  }

  read(): XmlElement {
    if (this.#text.startsWith("\ufeff")) this.#at = 1;
    this.#take(spaces);
    this.#take(declarationShape);
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === "<") this.#readMarkup();
      else this.#readText();
    }
    if (!this.#root || this.#open.length > 0) throw stop("It ends in the middle.");
    return this.#root;
  }

  #readMarkup(): void {
    const next = this.#text[this.#at + 1];
    if (next === "?") this.#skipComment("<?", "?>");
    else if (next === "!") this.#skipComment("<!--", "-->");
    else if (next === "/") this.#readEnd();
    else this.#readStart();
  }

  /**
   * Refuses document types, and so entities, and marked sections. Where a signature counts, also refuses comments,
   * which split a text.
   */
  #skipComment(begins: string, ends: string): void {
    if (!this.#text.startsWith(begins, this.#at)) throw stop("It holds a document type or a marked section.");
    if (this.#caps.comments === "refused") throw stop("It holds a comment or an instruction.");
    const end = this.#text.indexOf(ends, this.#at + begins.length);
    if (end < 0) throw stop("It ends in the middle.");
    this.#at = end + ends.length;
  }

  #readText(): void {
    const next = this.#text.indexOf("<", this.#at);
    const end = next < 0 ? this.#text.length : next;
    const element = this.#open.at(-1);
    const piece = this.#text.slice(this.#at, end);
    this.#at = end;
    if (!element) {
      if (piece.trim() !== "") throw stop("It is not an XML document.");
      return;
    }
    if (element.text.length + piece.length > this.#caps.textCharacters) {
      throw stop(`It holds a text of more than ${this.#caps.textCharacters} characters.`);
    }
    element.text += piece;
  }

  #readEnd(): void {
    this.#at += 2;
    const name = this.#take(nameShape);
    this.#take(spaces);
    this.#require(">");
    if (this.#open.pop()?.name !== name) throw stop("Its elements do not end in the order in which they begin.");
  }

  #readStart(): void {
    const { elements, depth } = this.#caps;
    this.#at += 1;
    const name = this.#takeName();
    if (name === "") throw stop("It is not an XML document.");
    if (++this.#elements > elements) throw stop(`It holds more than ${elements} elements.`);
    const element = { name, localName: localOf(name), attributes: this.#readAttributes(), children: [], text: "" };
    const parent = this.#open.at(-1);
    if (parent) parent.children.push(element);
    else if (this.#root) throw stop("It holds more than one document.");
    else this.#root = element;
    const isEmpty = this.#text[this.#at] === "/";
    if (isEmpty) this.#at += 1;
    this.#require(">");
    if (isEmpty) return;
    this.#open.push(element);
    if (this.#open.length > depth) throw stop(`It is nested more than ${depth} levels deep.`);
  }

  #readAttributes(): Map<string, string> {
    const attributes = new Map<string, string>();
    const { attributesOfElement } = this.#caps;
    for (;;) {
      const space = this.#take(spaces);
      const name = this.#takeName();
      if (name === "") return attributes;
      if (space === "" || attributes.has(name))
        throw stop("An element's attributes are not written as they should be.");
      this.#countAttribute(name);
      attributes.set(name, this.#readValue());
      if (attributes.size > attributesOfElement) {
        throw stop(`An element has more than ${attributesOfElement} attributes.`);
      }
    }
  }

  #countAttribute(name: string): void {
    const { attributes, namespaces } = this.#caps;
    if (++this.#attributes > attributes) throw stop(`It holds more than ${attributes} attributes.`);
    if (name !== "xmlns" && !name.startsWith("xmlns:")) return;
    if (++this.#namespaces > namespaces) throw stop(`It names more than ${namespaces} namespaces.`);
  }

  #readValue(): string {
    this.#take(spaces);
    this.#require("=");
    this.#take(spaces);
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") throw stop("The value of an attribute stands without quotes.");
    const end = this.#text.indexOf(quote, this.#at + 1);
    if (end < 0) throw stop("It ends in the middle.");
    const value = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const { valueCharacters } = this.#caps;
    if (value.length > valueCharacters) throw stop(`A value is longer than ${valueCharacters} characters.`);
    if (value.includes("<")) throw stop("The value of an attribute holds an element.");
    return value;
  }

  #take(shape: RegExp): string {
    shape.lastIndex = this.#at;
    const found = shape.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  /** One prefix at most, so that no two readers can split a name differently. */
  #takeName(): string {
    const name = this.#take(nameShape);
    const colon = name.indexOf(":");
    const isPlain = colon < 0 || (colon < name.length - 1 && name.indexOf(":", colon + 1) < 0);
    if (!isPlain) throw stop("It holds a name with more than one prefix.");
    return name;
  }

  #require(character: string): void {
    if (this.#text[this.#at] !== character) throw stop("It is not an XML document.");
    this.#at += 1;
  }
}

export const localOf = (name: string): string => name.slice(name.indexOf(":") + 1);

export const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
