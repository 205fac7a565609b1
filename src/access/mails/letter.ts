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

export const write = ({ subject, to, paragraphs }: Letter): MailContent => {
  const all: Paragraph[] = [to ? `Hello ${to},` : "Hello,", ...paragraphs];
  return {
    subject: subject.replace(/[\s\p{Cc}]+/gu, " "),
    text: `${all.map(asText).join("\n\n")}\n`,
    // Only a mail server is sent it; an operator's file is written a thousand times a second without.
    get html() {
      return page(subject, all.map(asHtml).join("\n"));
    },
  };
};

const nameCharactersMax = 80;

/**
 * A name that users choose goes to people who may not know them. It is short, on one line and in reading order, and no mail program
 * makes a link of it: an invisible space follows the characters that make an address.
 */
export const plainName = (name: string): string => {
  const line = name
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
  const short = [...line].length > nameCharactersMax ? `${[...line].slice(0, nameCharactersMax - 1).join("")}…` : line;
  return short.replace(/[.:/@](?=\S)/g, "$&\u200b");
};

function asText(part: Paragraph): string {
  if (typeof part === "string") return part;
  if ("url" in part) return `${part.button}:\n\n  ${part.url}`;
  if ("code" in part) return part.code.replace(/^/gm, "  ");
  return part.facts.map(([name, value]) => `  ${name}: ${value}`).join("\n");
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
