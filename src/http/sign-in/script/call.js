import { ownPath } from "./own-path.js";

/** The operations of the API, called as anybody may call them; the session is in a cookie that no script can read. */

/** A refusal: `code` decides, `message` is for the person. */
export class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.code = problem.code;
    this.remedy = problem.remedy;
    this.errors = problem.errors ?? [];
    this.ssoUrl = problem.sso_url;
  }
}

const away = {
  code: "unreachable",
  detail: "The server does not respond.",
  remedy: "Look at your connection, and try again.",
};

export async function call(operation, body = {}, project = null) {
  let answer;
  let value;
  try {
    answer = await fetch(`/latest/${operation}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(project && { "x-signalbox-project": project }) },
      credentials: "same-origin",
      body: JSON.stringify(body),
    });
    value = await answer.json();
  } catch {
    throw new Refused(away);
  }
  if (answer.ok) return value;
  throw new Refused(value);
}

/** Every row of a list that has pages. */
export async function callAll(operation) {
  const rows = [];
  let after = null;
  // A list of a person's own things is short; this is only so that nothing can go on for ever.
  for (let page = 0; page < 20; page++) {
    const { results, next } = await call(operation, { limit: 100, ...(after === null ? {} : { after }) });
    rows.push(...results);
    if (next === null) break;
    after = next;
  }
  return rows;
}

/** Only a path of this site; everything else leads to the account. */
export const nextPlace = () => ownPath(new URLSearchParams(location.search).get("next"), location.origin) ?? "/account";
