import { type CallToMake, mark } from "./load/requests.ts";

/** The three calls that are measured, as a client of Signalbox sends them. */
export const measurables = ["authenticated call", "create project", "create invite"] as const;
export type Measurable = (typeof measurables)[number];

interface Account {
  organization_id: string;
  project_id: string;
  api_key: string;
}

export function callTo(what: Measurable, account: Account): CallToMake {
  const { organization_id, project_id, api_key } = account;
  const headers = { authorization: `Bearer ${project_id}:${api_key}` };
  switch (what) {
    case "authenticated call":
      return { path: "/latest/projects/get", headers, body: {} };
    case "create project":
      return {
        path: "/latest/projects/create",
        headers,
        body: { name: `Project ${mark}`, description: "Made to be counted", organization_id },
      };
    case "create invite":
      return {
        path: "/latest/auth/invite/create",
        headers,
        // The mark stands first, so that addresses spread over the whole index. The run's own domain keeps two runs on
        // one store from inviting the same person.
        body: {
          email: `${mark}.person@${runName}.example.com`,
          permissions: { items: { platformDefault: { actions: { "role:editor": true } } } },
        },
      };
  }
}

const runName = `run-${Date.now().toString(36)}`;

/** The text that Signalbox answers to the call: the bare server answers the same. */
export async function answerTo(call: CallToMake, port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${call.path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...call.headers },
    body: JSON.stringify(call.body).replace(mark, "00000000"),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${call.path} answered ${answer.status}: ${text}`);
  return text;
}
