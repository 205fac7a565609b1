import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { openPage, startPages, typeSignIn } from "../support/browser/pages.ts";
import { givePassword, goodPassword } from "../support/sign-in/sign-in.ts";
import { cleanUpLater } from "../support/stores.ts";

/** A place that a page of ours must never lead to; tells who came. */
async function startElsewhere(): Promise<{ host: string; came: string[] }> {
  const came: string[] = [];
  const server = createServer((request, response) => {
    came.push(request.url ?? "");
    response.end("elsewhere");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUpLater(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { host: `localhost:${(server.address() as AddressInfo).port}`, came };
}

describeInBrowser("a link to our sign-in page from another site", () => {
  test("leads to our own site after the sign-in, whatever its `next` says", async () => {
    const team = await startPages();
    await givePassword(team, team.owner);
    const { host, came } = await startElsewhere();
    const payloads = [
      `/.//${host}/`,
      `/%2e//${host}/`,
      `/..//${host}/`,
      `//${host}/`,
      `/\\${host}/`,
      `/\t/${host}/`,
      "javascript:location.assign('http://elsewhere')",
    ];
    for (const payload of payloads) {
      const context = await openBrowser();
      const page = await openPage(context, `${team.site}/sign-in?next=${encodeURIComponent(payload)}`);
      await typeSignIn(page, team.owner.email, goodPassword);
      await page.waitForURL((url) => url.pathname !== "/sign-in");
      expect([payload, new URL(page.url()).origin]).toEqual([payload, team.site]);
      await context.close();
    }
    expect(came).toEqual([]);
  });
});
