import type { SandboxAnswer } from "../../server/sandbox.ts";

const htmlType = { "content-type": "text/html; charset=UTF-8", "referrer-policy": "no-referrer" };

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Unknown paths, verbs and methods get a page, never JSON and never 405. */
export function notFoundPage(path: string): SandboxAnswer {
  const shown = escapeHtml(path.length > 300 ? `${path.slice(0, 300)}…` : path);
  return htmlPage(
    404,
    "Error 404 (Not Found)!!1",
    `<p><b>404.</b> That’s an error.</p><p>The requested URL <code>${shown}</code> was not found on this server.</p>`,
  );
}

export function htmlPage(status: number, title: string, content: string): SandboxAnswer {
  const body = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; color: #1f1f1f; background: #fff; margin: 2rem auto; max-width: 34rem; padding: 0 1rem; }
fieldset { border: 1px solid #767676; border-radius: .5rem; margin: 1rem 0; padding: .5rem 1rem 1rem; }
label { display: block; padding: .25rem 0; }
button { font: inherit; padding: .5rem 1.25rem; margin-right: .5rem; border-radius: .25rem; border: 1px solid #0b57d0; background: #0b57d0; color: #fff; }
button.plain { background: #fff; color: #0b57d0; }
:focus-visible { outline: 3px solid #0b57d0; outline-offset: 2px; }
</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return { status, headers: htmlType, body };
}
