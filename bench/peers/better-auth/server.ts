import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "better-auth/node";
import { makePerson, openAuth } from "./auth.ts";

/** Serves better-auth with its own handler on node:http, and tells the parent who may call. */

const [file = "", journal = "delete"] = process.argv.slice(2);
const people = 600;

const server = createServer();
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address() as AddressInfo;
  const { auth, database } = await openAuth(file, journal, `http://127.0.0.1:${port}`);
  const { secret, authCookies } = await auth.$context;

  // Only while the people are made: they need not outlive a power cut.
  database.exec("pragma synchronous = off");
  const accounts = [];
  for (let number = 0; number < people; number++) {
    const { userId, token } = await makePerson(auth, number);
    const made = await auth.api.createOrganization({ body: { name: "First", slug: `first-${number}`, userId } });
    const signature = createHmac("sha256", secret).update(token).digest("base64");
    const cookie = `${authCookies.sessionToken.name}=${encodeURIComponent(`${token}.${signature}`)}`;
    accounts.push({ cookie, organizationId: made?.id });
  }
  database.exec("pragma synchronous = full");

  server.on("request", toNodeHandler(auth));
  process.send?.({ result: { port, accounts } });
});
process.on("SIGTERM", () => process.exit(0));
