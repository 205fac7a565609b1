/**
 * "Responses byte-equal for 'absent' and 'foreign'" (OWASP API1), for protocols with responses of their own: a request is sent
 * once with what is another tenant's, and once with what nobody has.
 */

export interface Heard {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Puts another tenant's text into a request, or one of the same form that is nobody's, and remembers what it has put. */
export interface Put {
  (theirs: string): string;
  sent: Set<string>;
}

/** `known` are texts that the caller has as well: they name nothing of another tenant. */
export function putting(whose: "theirs" | "nobody's", known: ReadonlySet<string> = new Set()): Put {
  const sent = new Set<string>();
  const put = (theirs: string): string => {
    if (known.has(theirs)) return theirs;
    const text = whose === "theirs" ? theirs : nobodys(theirs);
    sent.add(text);
    return text;
  };
  return Object.assign(put, { sent });
}

const aTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The same text but for four characters at its end, or at the end of an address's name: it has the same place in an order. */
export function nobodys(text: string): string {
  if (aTime.test(text)) return new Date(Date.parse(text) - 1).toISOString();
  return text.replace(/[^@]{4}(?=@|$)/, (end) => end.replace(/./g, (letter) => (letter === "0" ? "1" : "0")));
}

/** Every text in a value, changed so. */
export function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withTexts(part, change)]));
}

export function textsIn(value: unknown): Set<string> {
  const texts = new Set<string>();
  withTexts(value, (text) => {
    texts.add(text);
    return text;
  });
  return texts;
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The whole response, but for what the request sent, what names the request, and what was made only now. */
export function told({ status, headers, text }: Heard, { sent }: Pick<Put, "sent">): string {
  const { "x-request-id": _, date: __, ...rest } = headers;
  let said = `${status} ${JSON.stringify(rest)} ${text}`;
  for (const each of [...sent].sort((one, other) => other.length - one.length)) {
    said = said.replaceAll(inJson(each), "‹sent›").replaceAll(each, "‹sent›");
  }
  return said
    .replace(/\b[a-z]{3,4}_us_[0-9a-z]{26}\b/g, "‹id›")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "‹time›")
    .replace(/W\/\\*"[\w-]{22}\\*"/g, "‹tag›")
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "‹uuid›");
}

/** What a response says of another tenant beyond what the request has said itself. */
export function leaksIn({ headers, text }: Heard, secrets: Iterable<string>, request: unknown): string[] {
  const said = `${JSON.stringify(headers)} ${text}`.toLowerCase();
  const asked = [...textsIn(request)].join(" ").toLowerCase();
  return [...secrets].filter((each) => said.includes(each.toLowerCase()) && !asked.includes(each.toLowerCase()));
}
