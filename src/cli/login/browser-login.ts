import { createHash, generateKeyPairSync, privateDecrypt, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { CommandRefused, exitCodes } from "../exit-codes.ts";
import { openBrowser } from "../open-browser.ts";
import { writeNote } from "../terminal/terminal.ts";

const waitMilliseconds = 10 * 60 * 1000;

/**
 * A page of the console, on which a signed-in person confirms, creates a key for this machine. The page encrypts the key for this
 * process, and sends it to a listener on 127.0.0.1 by a redirect: the address bar and the history hold nothing that works. The
 * redirect counts once, and only with the state that this process made up.
 */
export async function keyFromBrowser(
  baseUrl: string,
  options: { project?: string; browser?: boolean },
): Promise<{ apiKey: string; project?: string }> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 3072 });
  const state = randomBytes(32).toString("base64url");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const page = new URL(`${baseUrl}/cli-login`);
  page.search = new URLSearchParams({
    port: String(port),
    name: hostname().slice(0, 60),
    ...(options.project === undefined ? {} : { project: options.project }),
  }).toString();
  const exported = publicKey.export({ type: "spki", format: "der" });
  // Behind the #, so that no server and no log sees it.
  page.hash = new URLSearchParams({ state, public_key: exported.toString("base64url") }).toString();
  writeNote(`Confirm in the browser that it shows the code ${codeOf(exported)}, on this page:\n\n  ${page.href}\n`);
  if (options.browser !== false) openBrowser(page.href);
  try {
    const answer = await answerAt(server, state);
    const sealed = Buffer.from(answer.get("key") ?? "", "base64url");
    const apiKey = privateDecrypt({ key: privateKey, oaepHash: "sha256" }, sealed).toString("utf8");
    const project = answer.get("project") || options.project;
    return { apiKey, ...(project === undefined ? {} : { project }) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The page shows the same code: a request of somebody else would have another key. */
function codeOf(publicKey: Buffer): string {
  const letters = createHash("sha256").update(publicKey).digest("hex").slice(0, 8).toUpperCase();
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function answerAt(server: ReturnType<typeof createServer>, state: string): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CommandRefused("Nobody confirmed in ten minutes. Start again.", exitCodes.refused)),
      waitMilliseconds,
    );
    server.on("request", (request, response) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      const given = Buffer.from(url.searchParams.get("state") ?? "");
      const isOurs = given.length === state.length && timingSafeEqual(given, Buffer.from(state));
      if (request.method !== "GET" || url.pathname !== "/callback" || !isOurs) {
        response.writeHead(404, headers).end("Not found.");
        return;
      }
      const refused = url.searchParams.get("error") !== null;
      // The browser goes on to a page without the answer in its address.
      response
        .writeHead(200, headers)
        .end(refused ? "Not allowed. You can close this page." : "You are logged in. You can close this page.");
      clearTimeout(timer);
      if (refused) reject(new CommandRefused("It was not allowed in the browser.", exitCodes.refused));
      else resolve(url.searchParams);
    });
  });
}

const headers = {
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  connection: "close",
};
