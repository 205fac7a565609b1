import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { describeInBrowser, openBrowser } from "../../support/browser/browser.ts";
import { cleanUpLater } from "../../support/stores.ts";
import { signInAt, startWithOwner } from "./owner.ts";

describeInBrowser("an open session", () => {
  test("is listed, and can be ended from another one: it is refused from its next call on", async () => {
    const { team, context } = await startWithOwner();
    const there = await signInAt(team, await openBrowser());
    const here = await signInAt(team, context);
    await here.locator("#sessions li").nth(1).waitFor();
    expect(await here.locator("#sessions li").count()).toBe(2);
    await here.getByRole("button", { name: /^End the session of/ }).click();
    await here.getByRole("dialog").getByRole("button", { name: "End the session" }).click();
    await here.locator("#sessions li").nth(1).getByText("ended").waitFor();
    await there.reload();
    await there.waitForURL(`${team.site}/sign-in?next=/account`);
    expect(here.url()).toBe(`${team.site}/account`);
  });

  test.each([
    ["after twelve hours without use", 12 * 3600 + 60],
    ["after seven days", 7 * 86_400 + 60],
  ])("ends %s", async (_, seconds) => {
    const { team, context } = await startWithOwner();
    const page = await signInAt(team, context);
    team.advance(seconds);
    await page.reload();
    await page.waitForURL(`${team.site}/sign-in?next=/account`);
  });

  test("cannot be used by another site's page, by form or by fetch, not even on another port of the same machine", async () => {
    const { team, context } = await startWithOwner();
    await signInAt(team, context);
    const before = (await team.call("auth/keys/list", {}, { as: team.owner })).body.results.length;
    const target = `${team.site}/latest/auth/keys/create`;
    const evil = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<form method="post" enctype="text/plain" action="${target}"><input name='{"label":"' value='"}'></form>`,
      );
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    cleanUpLater(async () => {
      evil.closeAllConnections();
      await new Promise((resolve) => evil.close(resolve));
    });
    const { port } = evil.address() as AddressInfo;
    // The same machine by the same name is the same site: the browser sends the cookie along, and the server must refuse.
    for (const host of ["localhost", "127.0.0.1"]) {
      const page = await context.newPage();
      await page.goto(`http://${host}:${port}/`);
      const fetched = await page.evaluate<string[]>(`Promise.all(["text/plain", "application/json"].map((type) =>
          fetch(${JSON.stringify(target)}, { method: "POST", credentials: "include", headers: { "content-type": type }, body: "{}" })
            .then((answer) => "read " + answer.status, (error) => error.name)))`);
      expect(fetched).toEqual(["TypeError", "TypeError"]);
      const [answer] = await Promise.all([
        page.waitForResponse(target),
        page.evaluate("void setTimeout(() => document.forms[0].submit())"),
      ]);
      // The page is left as it is: closing one whose navigation has just been refused can take Chromium for ever.
      expect(answer.status()).toBe(415);
    }
    expect((await team.call("auth/keys/list", {}, { as: team.owner })).body.results).toHaveLength(before);
  });
});
