/** Text of a server may hold anything. Control characters would move the cursor, or worse, so they are shown as a space. */
export const cleanText = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, " ");

const wide =
  /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

/** How many columns of a terminal a text takes. */
export function widthOfText(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The text in at most `width` columns, with … where something is missing. */
export function fitText(text: string, width: number): string {
  if (widthOfText(text) <= width) return text;
  let fitting = "";
  for (const character of text) {
    if (widthOfText(fitting + character) > width - 1) break;
    fitting += character;
  }
  return `${fitting}…`;
}

export const padText = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - widthOfText(text)));

/** One value on one line. */
export function shownOnOneLine(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (Array.isArray(value) && value.every((each) => typeof each !== "object"))
    return value.length === 0 ? "-" : cleanText(value.join(", "));
  return cleanText(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** The text in lines of at most `width` columns, broken between words. A longer word stays whole: people copy it. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && widthOfText(last) + 1 + widthOfText(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Lines that are too long, broken between words, with the indent of the line. Without a width, lines stay as they are. */
export const foldedLines = (text: string, width: number | null): string[] =>
  text.split("\n").flatMap((line) => {
    if (width === null || widthOfText(line) <= width) return [line];
    const [indent = ""] = /^ */.exec(line) ?? [];
    return wrapText(line.slice(indent.length), width - indent.length).map((part) => indent + part);
  });
