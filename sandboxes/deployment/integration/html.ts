import type { SandboxAnswer } from "../../server/sandbox.ts";

/** A page without scripts: headings, labels and buttons, so that a person and a reader program can both use it. */
export function page(title: string, body: string, status = 200): SandboxAnswer {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; color: #111; background: #fff }
fieldset { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid #767676; border-radius: .4rem }
label { display: block; padding: .2rem 0 }
input[type=url], textarea { width: 100%; box-sizing: border-box; font: inherit; padding: .3rem }
button { font: inherit; padding: .5rem 1.2rem; margin-right: .5rem; border: 1px solid #111; border-radius: .4rem; background: #fff }
button.main { background: #111; color: #fff }
.note { color: #555 }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
  return { status, headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }, body: html };
}

export const redirectTo = (location: string): SandboxAnswer => ({ status: 303, headers: { location }, body: "" });

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

export const readForm = (body: Buffer): URLSearchParams => new URLSearchParams(body.toString("utf8"));
