import type { Attempt } from "../describe-status.ts";

const secretMark = "[secret]";

/** A request as a command for a shell. Secrets were never recorded; the command reads them from `$TOKEN`. */
export function asCurl({ method, url, headers, body }: Attempt["request"]): string {
  const parts = [`curl -X ${method} ${quote(url)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined && body !== null) {
    parts.push(`--data-raw ${quote(typeof body === "string" ? body : JSON.stringify(body))}`);
  }
  return parts.join(" \\\n  ");
}

/** Single quotes take everything as it is. A text with a secret is expanded by the shell, and all else in it is escaped. */
function quote(text: string): string {
  if (!text.includes(secretMark)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `"${text.replace(/[\\"`$!]/g, "\\$&").replaceAll(secretMark, "$TOKEN")}"`;
}
