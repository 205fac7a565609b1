import { Pool } from "undici";
import type { CallToMake } from "../load/requests.ts";
import { mark } from "../load/requests.ts";

const connections = 16;

/** `sign` makes further headers from the text that is sent. */
export interface SignedCall extends CallToMake {
  sign?(text: string): Record<string, string>;
}

/** Makes the call so many times, sixteen at a time, each with another text where it has the mark. A failure ends the run. */
export async function callMany(port: number, call: SignedCall, count: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  let left = count;
  const caller = async () => {
    while (left-- > 0) await callOnce(pool, call);
  };
  await Promise.all(Array.from({ length: connections }, caller));
  await pool.close();
}

let made = 0;
const word = () => ((Math.imul(++made, 0x9e3779b1) >>> 0) ^ process.pid).toString(16).padStart(8, "0").slice(-8);

async function callOnce(pool: Pool, { method, path, headers, body, sign }: SignedCall): Promise<void> {
  const text = JSON.stringify(body ?? {}).replaceAll(mark, word());
  const given = { "content-type": "application/json", ...headers, ...sign?.(text) };
  const sent =
    method === "GET"
      ? { method, path, headers }
      : { method: method ?? ("POST" as const), path, headers: given, body: text };
  const answer = await pool.request(sent);
  const said = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path} responded ${answer.statusCode}: ${said.slice(0, 400)}`);
}

/** One call, for what is prepared: the parsed response. */
export async function ask<T>(port: number, { path, headers, body }: CallToMake): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body ?? {}),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${path} responded ${answer.status}: ${said.slice(0, 400)}`);
  return JSON.parse(said) as T;
}
