import { setImmediate as nextTurn } from "node:timers/promises";
import { authenticate } from "../../src/access/callers/authenticate.ts";
import { readAuthorization } from "../../src/access/callers/authorization-header.ts";
import { openStore } from "../../src/start/region/open-database.ts";
import { readConfig } from "../../src/start/settings/config.ts";
import { seed } from "./seed.ts";

/** A process of its own: verifies keys against the product's store, as long as the parent asks for. */

const { home, accounts } = await seed(0);
const store = await openStore(readConfig({}, { home, regions: "us", firstRun: "on" }), "us");
const headers = accounts.map((account) => `Bearer :${account.api_key}`);

async function verify(header: string): Promise<void> {
  const credentials = readAuthorization(header);
  if (!credentials) throw new Error("Signalbox did not read its own key.");
  await authenticate(store, credentials, null, new Date());
}

process.on("message", async ({ seconds }: { seconds: number }) => {
  const start = performance.now();
  let calls = 0;
  for (; performance.now() - start < seconds * 1000; calls++) {
    await verify(headers[calls % headers.length] as string);
    // Requests come in turns of the event loop. Without one, all calls would share the first one's look at the store.
    await nextTurn();
  }
  process.send?.({ result: { perSecond: calls / ((performance.now() - start) / 1000) } });
});
process.send?.({ result: null });
