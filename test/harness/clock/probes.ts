import type { World } from "../load/world.ts";
import { becomes, type Client } from "./client.ts";

const hour = 3600;
/** Of runs, which have not ended. */
const open = ["queued", "running", "waiting"];

/** After each jump: a key is known again within its day, a run starts and ends, nobody is locked out. */
export async function startProbes(world: World, client: Client, secondsMax: number) {
  const { call, send, done } = client;
  const steps = [{ name: "rest", step: "wait", input: { seconds: 0 } }];
  const tool = await done("tools/create", { title: "Rests", params_schema: { type: "object" }, steps });
  const once: { key: string; text: string; offset: number }[] = [];
  const cookie = await signIn(world, client);

  const isSignedIn = async () => (await send("auth/info", {}, cookie)).status === 200;

  /** A key that was used before is known, however far the clock has jumped since. */
  async function repeat({ key, text }: (typeof once)[number]): Promise<string[]> {
    const again = await call("tools/create", toolOf(key), { "idempotency-key": key });
    return again.text === text ? [] : [`The repeat of ${key} got ${again.text}, not ${text}`];
  }
  const toolOf = (title: string) => ({ title, params_schema: { type: "object" }, steps });

  /** The response has a secret, which is kept for an hour only. */
  async function repeatSecret(last: (typeof once)[number], offset: number): Promise<string[]> {
    const again = await call("auth/keys/create", { label: last.key }, { "idempotency-key": last.key });
    const isGone = offset - last.offset >= hour && again.body.code === "idempotency_answer_gone";
    return isGone || again.text === last.text ? [] : [`The repeat of ${last.key} got ${again.text}, not ${last.text}`];
  }

  let lastKey: (typeof once)[number] | null = null;
  return async (offset: number): Promise<string[]> => {
    const wrong: string[] = [];
    for (const each of once) wrong.push(...(await repeat(each)));
    if (lastKey !== null && Math.abs(lastKey.offset - offset) < 2 * hour)
      wrong.push(...(await repeatSecret(lastKey, offset)));
    const key = `once-${once.length}`;
    const made = await call("tools/create", toolOf(key), { "idempotency-key": key });
    once.push({ key, text: made.text, offset });
    const label = `secret-${key}`;
    const secret = await call("auth/keys/create", { label }, { "idempotency-key": label });
    lastKey = { key: label, text: secret.text, offset };
    for (const { status, text } of [made, secret])
      if (status !== 200) wrong.push(`A keyed write got ${status} ${text}`);
    // While the clock is wrong, it is refused.
    const isRight = Math.abs(offset) <= hour;
    if (isRight && !(await becomes(secondsMax, isSignedIn))) wrong.push("A sign-in is not valid again.");
    const started = await call(`tools/${tool.tool_id}/trigger_async`, { params: {} });
    if (started.status >= 300) return [...wrong, `A run was refused: ${started.text}`];
    let status = "";
    await becomes(secondsMax, async () => {
      status = String((await call(`runs/${started.body.run_id}/get`)).body.status);
      return !open.includes(status);
    });
    if (status !== "succeeded") wrong.push(`A run is ${status} after ${secondsMax} s.`);
    return wrong;
  };
}

/** With the password of the first run. Returns headers that authorize with the session, and with nothing else. */
async function signIn({ first }: World, { send }: Client): Promise<Record<string, string>> {
  const { email, password } = first;
  const signedIn = await send("auth/sign_in/password", { email, password }, {});
  const [cookie] = [signedIn.headers["set-cookie"] ?? []].flat();
  if (cookie === undefined) throw new Error(`The sign-in was refused: ${signedIn.text}`);
  return { cookie: cookie.split(";")[0] ?? "", origin: new URL(first.base_url).origin };
}
