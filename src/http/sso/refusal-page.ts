import { randomBytes } from "node:crypto";
import { type Problem, problems } from "../../kernel/problem.ts";
import { html } from "../documentation/html.ts";

/** Why a sign-in was refused: the code, a sentence, what to do, and the request id for the log. */
export function refusalPage(problem: Problem, requestId: string): { headers: Record<string, string>; body: string } {
  const { title, remedy } = problems[problem.code];
  const nonce = randomBytes(16).toString("base64");
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Signalbox</title>
<style nonce="${nonce}">
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem }
dt { font-weight: 600 } dd { margin: 0 0 .5rem }
</style>
</head>
<body>
<main>
<h1>You are not signed in</h1>
<div role="alert"><p>${problem.message}</p><p>${remedy.replaceAll("`", "")}</p></div>
<dl><dt>Code</dt><dd><code>${problem.code}</code></dd><dt>Request</dt><dd><code>${requestId}</code></dd></dl>
<p><a href="/sign-in">Go to the sign-in page</a></p>
</main>
</body>
</html>
`.text;
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      // The address may contain a code and a state.
      "referrer-policy": "no-referrer",
    },
    body,
  };
}
