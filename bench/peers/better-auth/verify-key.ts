import { setImmediate as nextTurn } from "node:timers/promises";
import { makePerson, openAuth } from "./auth.ts";

/** Verifies keys inside the process, each in its turn, as long as the parent asks for. */

const [file = "", journal = "delete", keyCount = "1"] = process.argv.slice(2);
const { auth, database } = await openAuth(file, journal, "http://127.0.0.1");
const { userId } = await makePerson(auth, 0);

// Only while the keys are made: they need not outlive a power cut.
database.exec("pragma synchronous = off");
const keys: string[] = [];
while (keys.length < Number(keyCount)) {
  keys.push((await auth.api.createApiKey({ body: { userId, name: "counted" } })).key);
}
database.exec("pragma synchronous = full");

process.on("message", async ({ seconds }: { seconds: number }) => {
  const start = performance.now();
  let calls = 0;
  for (; performance.now() - start < seconds * 1000; calls++) {
    const { valid } = await auth.api.verifyApiKey({ body: { key: keys[calls % keys.length] ?? "" } });
    if (!valid) throw new Error("better-auth refused its own key.");
    await nextTurn();
  }
  process.send?.({ result: { perSecond: calls / ((performance.now() - start) / 1000) } });
});
process.send?.({ result: null });
