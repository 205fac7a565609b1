/** What the written documents have in common. */

export const notice = "<!-- Written by `npm run docs`; change the program, not this file. -->";

export const lines = (...paragraphs: string[]): string => `${paragraphs.join("\n\n")}\n`;

export const table = (headings: string[], rows: string[][]): string =>
  [headings, headings.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
