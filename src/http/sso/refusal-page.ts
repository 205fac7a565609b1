import { type Problem, problems } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { html } from "../documentation/html.ts";
import { plainPage } from "../sign-in/sign-in-frame.ts";

/** Why a sign-in was refused: a sentence, what to do, and for support the code and the request id. */
export function refusalPage(
  region: Region,
  problem: Problem,
  requestId: string,
): { headers: Record<string, string>; body: string } {
  const { title, remedy } = problems[problem.code];
  const body = plainPage(
    { title, region },
    html`<section class="card" aria-labelledby="title">
<h1 id="title">You are not signed in</h1>
<div class="message bad" role="alert"><p>${problem.message}</p><p>${remedy.replaceAll("`", "")}</p></div>
<p><a class="button primary" href="/sign-in">Back to sign-in</a></p>
<p class="hint">When you ask for help, include this:</p>
<dl class="facts"><div><dt>Code</dt><dd><code>${problem.code}</code></dd></div><div><dt>Request</dt><dd><code>${requestId}</code></dd></div></dl>
</section>`,
  );
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      // The address may contain a code and a state.
      "referrer-policy": "no-referrer",
    },
    body,
  };
}
