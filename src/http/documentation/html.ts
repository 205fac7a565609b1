/** Markup created here. Every other value is text, and is escaped when it is put into markup. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | null | readonly HtmlPart[];

/** html`<p>${text}</p>`: text is escaped, lists are joined, and null adds nothing. */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  let text = strings[0] ?? "";
  for (const [index, part] of parts.entries()) text += textOf(part) + (strings[index + 1] ?? "");
  return new Html(text);
}

function textOf(part: HtmlPart): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return escapeHtml(String(part));
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] as string);
