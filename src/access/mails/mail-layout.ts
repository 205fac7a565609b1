/** A mail as its parts. It is written twice, as text and as HTML, so both say the same. */

export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

export type Paragraph =
  | string
  /** A page to open. The address is shown as well, for programs that hide links. */
  | { button: string; url: string }
  /** Something to type or to copy. */
  | { code: string }
  /** Names and what they stand for. */
  | { facts: [name: string, value: string][] };

export interface Letter {
  subject: string;
  /** Whom it greets, if the name is known. */
  to?: string | undefined;
  paragraphs: Paragraph[];
}

/**
 * The HTML is for a mail server alone: the operator's file is written a thousand times a second without it. A class, because V8
 * gives an object literal with a getter a hidden class of its own, which lives until the next major collection.
 */
class WrittenMail implements MailContent {
  readonly subject: string;
  readonly text: string;
  readonly #parts: readonly Paragraph[];

  constructor(subject: string, parts: readonly Paragraph[]) {
    this.subject = subject;
    this.text = textOf(parts);
    this.#parts = parts;
  }

  get html(): string {
    return page(this.subject, this.#parts.map(asHtml).join("\n"));
  }
}

export const write = ({ subject, to, paragraphs }: Letter): MailContent =>
  new WrittenMail(onOneLine(subject), [to ? `Hello ${to},` : "Hello,", ...paragraphs]);

function textOf(parts: readonly Paragraph[]): string {
  let text = "";
  for (const part of parts) text += `${asText(part)}\n\n`;
  return text.slice(0, -1);
}

/** Words of printable ASCII with a space between them: most texts are. The general pattern takes ten times as long. */
const plainWords = /^[!-~]+(?: [!-~]+)*$/;
const onOneLine = (text: string): string => (plainWords.test(text) ? text : text.replace(/[\s\p{Cc}]+/gu, " "));

const nameCharactersMax = 80;
/** Names to which `plainName` has nothing to do. */
const ordinaryName = /^\w+(?: \w+)*$/;

/**
 * A name that users choose goes to people who may not know them. It is short, on one line and in reading order, and no mail program
 * makes a link of it: an invisible space follows the characters that make an address.
 */
export const plainName = (name: string): string => {
  if (name === "" || (name.length <= nameCharactersMax && ordinaryName.test(name))) return name;
  const line = onOneLine(name)
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
  const short = [...line].length > nameCharactersMax ? `${[...line].slice(0, nameCharactersMax - 1).join("")}…` : line;
  return short.replace(/[.:/@](?=\S)/g, "$&\u200b");
};

function asText(part: Paragraph): string {
  if (typeof part === "string") return part;
  if ("url" in part) return `${part.button}:\n\n  ${part.url}`;
  if ("code" in part) return `  ${part.code.replaceAll("\n", "\n  ")}`;
  let lines = "";
  for (const [name, value] of part.facts) lines += `${lines && "\n"}  ${name}: ${value}`;
  return lines;
}

// Mail programs know no style sheets and no custom properties, so the look of our pages is repeated here, light only.
const styles = {
  body: "margin:0;padding:24px 12px;background:#f2efe8;color:#22282e;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif",
  card: "max-width:520px;margin:0 auto;padding:28px;background:#fdfcfa;border:1px solid #e2ddd3;border-radius:14px",
  brand: "margin:0 0 20px;font-weight:bold",
  button:
    "display:inline-block;padding:10px 18px;border-radius:8px;background:#0e625b;color:#ffffff;font-weight:bold;text-decoration:none",
  soft: "margin:8px 0 16px;color:#5b636b;font-size:13px;word-break:break-all",
  code: "margin:0 0 16px;padding:10px 14px;border-radius:8px;background:#f2efe8;font:15px/1.6 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;word-break:break-word",
  text: "margin:0 0 16px",
  name: "padding:6px 16px 6px 0;color:#5b636b;vertical-align:top",
  value: "padding:6px 0;font-weight:bold",
};

const page = (subject: string, content: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${asMarkup(subject)}</title></head>
<body style="${styles.body}">
<div style="${styles.card}">
<p style="${styles.brand}">Signalbox</p>
${content}
</div>
</body>
</html>
`;

function asHtml(part: Paragraph): string {
  if (typeof part === "string") return `<p style="${styles.text}">${asMarkup(part)}</p>`;
  if ("url" in part) {
    const url = asMarkup(part.url);
    return `<p style="margin:0"><a style="${styles.button}" href="${url}">${asMarkup(part.button)}</a></p>
<p style="${styles.soft}">${url}</p>`;
  }
  if ("code" in part) return `<p style="${styles.code}">${asMarkup(part.code)}</p>`;
  const rows = part.facts.map(
    ([name, value]) =>
      `<tr><td style="${styles.name}">${asMarkup(name)}</td><td style="${styles.value}">${asMarkup(value)}</td></tr>`,
  );
  return `<table role="presentation" style="${styles.text};border-collapse:collapse">${rows.join("")}</table>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const asMarkup = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
