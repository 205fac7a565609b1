import { type AST, RegExpParser } from "@eslint-community/regexpp";
import type { Literal } from "../regexp-literals.ts";

/**
 * Texts that nearly match a regular expression, made from its syntax: what it repeats, very often, and then a character that
 * spoils the match. Where a matcher tries other ways to divide the repeats, or starts again at each of them, such a text
 * takes it more than linear time.
 */
export interface NearMatch {
  /** The expression, as it stands in the source. */
  of: string;
  before: string;
  unit: string;
  after: string;
}

type Expression = Pick<Literal, "source" | "flags">;

/** What is repeated fewer times than this takes no time. */
const repeatsMin = 16;
/** Ways to fill one repeat, and to spell one part. */
const waysMax = 3;

/** The text of a near-match, of this many characters. */
export function textNear({ before, unit, after }: NearMatch, characters: number): string {
  const room = Math.max(1, characters - before.length - after.length);
  const text = `${before}${unit.repeat(Math.ceil(room / unit.length))}`;
  return text.slice(0, Math.max(0, characters - after.length)) + after;
}

/** For each part that an expression repeats: inside a match, and with the match begun anew each time. */
export function nearMatchesOf(expression: Expression): NearMatch[] {
  const of = `/${expression.source}/${expression.flags}`;
  const spell = speller(expression.flags);
  const pattern = parse(expression);
  const found: NearMatch[] = [];
  const add = (before: string, unit: string): void => {
    if (unit === "" || found.some((each) => each.before === before && each.unit === unit)) return;
    found.push({ of, before, unit, after: spoilerOf(expression, before + unit.repeat(4)) });
  };
  for (const quantifier of quantifiersIn(pattern)) {
    const before = textBefore(quantifier, spell);
    for (const unit of spell(quantifier.element)) {
      add(before, unit);
      if (before !== "") add("", before + unit);
    }
  }
  for (const whole of alternativesOf(pattern.alternatives, spell)) add("", whole);
  return found;
}

const parse = ({ source, flags }: Expression): AST.Pattern =>
  new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });

/** Every part of the syntax that is repeated often, however deep. */
function quantifiersIn(node: AST.Node): AST.Quantifier[] {
  switch (node.type) {
    case "Quantifier":
      return [...(node.max >= repeatsMin ? [node] : []), ...quantifiersIn(node.element)];
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return node.alternatives.flatMap(quantifiersIn);
    case "Assertion":
      return "alternatives" in node ? node.alternatives.flatMap(quantifiersIn) : [];
    case "Alternative":
      return node.elements.flatMap(quantifiersIn);
    default:
      return [];
  }
}

/** Ways to write what a part of the syntax matches; what only looks around is written as nothing. */
type Spell = (node: AST.Element) => string[];

/** Common letters, then what is special somewhere, then what is more than one byte. */
const characters = [
  ..."a0A_-. /:,;=@\"'\\\n\t\r!#$%&()*+<>?[]^`{|}~bzf19éſ☃",
  ...["\u0000", "\u0001", "\u007f", "\u0301", "\u2028", "\u202e", "\ud800", "😀"],
];

function speller(flags: string): Spell {
  // Classes are tried as they stand in the source: none of their rules is written again here.
  const own = flags.replace(/[gy]/g, "");
  const ofClass = (raw: string): string[] => {
    const one = new RegExp(`^(?:${raw})$`, own);
    const all = characters.filter((character) => one.test(character));
    // One that ends a word, too: many expressions begin where a word does.
    const endOfWord = all.find((character) => !/\w/.test(character));
    return [...new Set([all[0], endOfWord, all.at(-1)])].filter((character) => character !== undefined);
  };
  const spell: Spell = (node) => {
    switch (node.type) {
      case "Character":
        return [String.fromCodePoint(node.value)];
      case "CharacterClass":
      case "CharacterSet":
      case "ExpressionCharacterClass":
        return ofClass(node.raw);
      case "Quantifier":
        return node.max === 0 ? [""] : spell(node.element).map((text) => text.repeat(Math.max(1, node.min)));
      case "Group":
      case "CapturingGroup":
        return alternativesOf(node.alternatives, spell);
      case "Backreference": {
        const group = [node.resolved].flat()[0];
        return group ? alternativesOf(group.alternatives, spell) : [""];
      }
      default:
        return [""];
    }
  };
  return spell;
}

function alternativesOf(alternatives: readonly AST.Alternative[], spell: Spell): string[] {
  const texts = alternatives.flatMap(({ elements }) => {
    const parts = elements.map((element) => spell(element));
    const ways = Math.min(waysMax, Math.max(1, ...parts.map((part) => part.length)));
    return Array.from({ length: ways }, (_, way) => parts.map((part) => part[way] ?? part[0] ?? "").join(""));
  });
  return [...new Set(texts)].slice(0, waysMax);
}

/** What has matched before a part is reached, in every part around it. */
function textBefore(node: AST.Node, spell: Spell): string {
  const { parent } = node;
  if (!parent) return "";
  if (parent.type !== "Alternative") return textBefore(parent, spell);
  const earlier = parent.elements.slice(0, parent.elements.indexOf(node as AST.Element));
  return textBefore(parent, spell) + earlier.map((element) => spell(element)[0] ?? "").join("");
}

const spoilers = ["!", "\u0000", "\n", " ", "a", "é", "\ud800"];

/** A character after which the whole text does not match; where every one does, there is nothing to spoil. */
function spoilerOf({ source, flags }: Expression, text: string): string {
  const whole = new RegExp(`^(?:${source})$`, flags.replace(/[gym]/g, ""));
  return spoilers.find((spoiler) => !whole.test(text + spoiler)) ?? "";
}
