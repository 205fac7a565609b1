import { expect, test } from "vitest";
import { safePath } from "../../src/http/sso/serve-sso.ts";
import { startPopUp } from "../support/browser/pop-up.ts";
import { givePassword, signIn, withSession } from "../support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../support/stores.ts";

/**
 * Finding 15: "A consent pop-up is not bound to the browser that began it, and its last page names no project: a victim's
 * account lands in an attacker's project." The attacker has a project and a key, begins a sign-in and sends the address to
 * somebody else.
 */

const navigation = {
  accept: "text/html,application/xhtml+xml",
  "user-agent": "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};
const ownLink = { ...navigation, "sec-fetch-site": "same-origin" };

type World = Awaited<ReturnType<typeof startPopUp>>;

/** A browser with a memory for our cookie, as far as headers go. */
function browserOf({ team }: World) {
  let cookie = "";
  return {
    async open(url: string, headers: Record<string, string> = navigation, more = "") {
      const { pathname, search } = new URL(url, "http://us.test");
      const cookies = [cookie, more].filter(Boolean).join("; ");
      const answer = await team.app.inject({
        method: "GET",
        url: pathname + search,
        headers: { ...headers, ...(cookies && { cookie: cookies }) },
      });
      const set = answer.headers["set-cookie"];
      if (set !== undefined) cookie = String(set).split(";")[0] ?? "";
      const onward = /href="(\/oauth\/start\?[^"]*)"/.exec(answer.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
      return { status: answer.statusCode, text: answer.body, headers: answer.headers, onward };
    },
    cookie: () => cookie,
  };
}

const sessionCookie = (token: string): string => `__Host-sb_session_us=${token}`;

/** Options for a call by a browser's session, in the team's project. */
function inSession({ team }: World, token: string) {
  const { headers } = withSession(token);
  return { headers: { ...headers, "x-signalbox-project": team.projectId } };
}

const codesExchanged = async ({ sandbox }: World): Promise<number> => (await sandbox.requests("/token")).length;

describeOnBothStores("a sign-in that another person started", (kind) => {
  test("shows our own page first, which names account, project, organization and who started it, and no address of the system", async () => {
    const world = await startPopUp(kind, "analytics");
    const { team } = world;
    await team.call("projects/update", { name: 'Mallory & <b>"Co"</b>' }, team.inProject(team.owner));
    const begun = await world.connect({ label: "Numbers" });
    const { status, text, headers } = await browserOf(world).open(begun.connect_url);
    expect(status).toBe(200);
    for (const named of ["Mallory &amp; &lt;b&gt;", team.owner.email, "Web analytics (sandbox)", "<dd>Numbers</dd>"]) {
      expect(text).toContain(named);
    }
    const { body } = await team.call("organizations/get", {}, { as: team.owner });
    expect(text).toContain(`<dt>Organization</dt><dd>${body.name}</dd>`);
    expect(text).not.toContain(world.sandbox.url);
    expect(text).not.toMatch(/<script|<form|style=/);
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["set-cookie"]).toMatch(/^sb_connect_us=\w{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/);
  });

  test("connects the account of the person who continued from there, and the last page names everything again", async () => {
    const world = await startPopUp(kind, "analytics");
    const begun = await world.connect();
    const browser = browserOf(world);
    const { onward } = await browser.open(begun.connect_url);
    const gone = await browser.open(onward, ownLink);
    expect([gone.status, String(gone.headers.location)]).toEqual([302, expect.stringContaining(world.sandbox.url)]);
    const answer = await world.answerAt(String(gone.headers.location));
    const end = await browser.open(answer.href);
    expect(end.status).toBe(200);
    expect(end.text).toContain("administrator@analytics-sandbox.example");
    expect(end.text).toMatch(/<dt>Project<\/dt><dd>[^<]+<\/dd>/);
    expect(end.text).toContain(world.team.owner.email);
    expect(await world.status(begun.connect_id)).toMatchObject({ state: "connected" });
  });

  test("connects nothing if a victim is sent past our page, straight to the system's", async () => {
    const world = await startPopUp(kind, "analytics");
    const begun = await world.connect();
    // The attacker reads where our page leads with a program, and sends that address on.
    const answer = await world.consent(begun.connect_url);
    const victim = browserOf(world);
    const end = await victim.open(answer.href);
    expect(end.status).toBe(400);
    expect(end.text).toContain("This browser has not opened this sign-in from Signalbox");
    expect(await codesExchanged(world)).toBe(0);
    expect(await world.team.store.query("select id from connections")).toEqual([]);
    expect(await world.status(begun.connect_id)).toMatchObject({
      state: "failed",
      problem: { code: "authentication_failed" },
    });
  });

  test("connects nothing if the page was opened and no one continued from it", async () => {
    const world = await startPopUp(kind, "analytics");
    const begun = await world.connect();
    const answer = await world.consent(begun.connect_url);
    const victim = browserOf(world);
    // A page of the attacker's opens ours in a window, and leads that window on by itself.
    await victim.open(begun.connect_url);
    expect((await victim.open(answer.href)).status).toBe(400);
    expect(await world.team.store.query("select id from connections")).toEqual([]);
  });

  test("does not continue by a link that the attacker got, nor by a link on another site", async () => {
    const world = await startPopUp(kind, "analytics");
    const begun = await world.connect();
    const [attacker, victim] = [browserOf(world), browserOf(world)];
    const theirs = (await attacker.open(begun.connect_url)).onward;
    await victim.open(begun.connect_url);
    expect((await victim.open(theirs, ownLink)).status).toBe(200);
    const own = (await victim.open(begun.connect_url)).onward;
    expect((await victim.open(own, navigation)).status).toBe(200);
    expect((await victim.open(own, ownLink)).status).toBe(302);
  });

  test("is refused to a browser with the cookie of another browser, or with a made-up one", async () => {
    for (const cookie of ["", "sb_connect_us=short", `sb_connect_us=${"a".repeat(43)}`]) {
      const world = await startPopUp(kind, "analytics");
      const begun = await world.connect();
      const browser = browserOf(world);
      const { onward } = await browser.open(begun.connect_url);
      const gone = await browser.open(onward, ownLink);
      const answer = await world.answerAt(String(gone.headers.location));
      expect([cookie, (await browserOf(world).open(answer.href, navigation, cookie)).status]).toEqual([cookie, 400]);
      expect(await codesExchanged(world)).toBe(0);
    }
  });

  test("is refused to every request that a page can make a browser send, not only to navigations", async () => {
    const image = { accept: "image/avif,*/*;q=0.8", "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" };
    const script = { accept: "*/*", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    const old = { accept: "*/*", "user-agent": navigation["user-agent"] };
    const page = { accept: "text/html", "user-agent": "a browser of its own" };
    for (const headers of [image, script, old, page]) {
      const world = await startPopUp(kind, "analytics");
      const answer = await world.consent((await world.connect()).connect_url);
      const end = await browserOf(world).open(answer.href, headers);
      expect([headers, end.status]).toEqual([headers, 400]);
      expect(await codesExchanged(world)).toBe(0);
    }
  });

  test("continues for a program, which keeps no cookies: its state is enough", async () => {
    // Node's own fetch says `sec-fetch-mode: cors` and nothing else of the kind.
    for (const headers of [{}, { accept: "*/*", "user-agent": "curl/8.5.0" }, { "sec-fetch-mode": "cors" }]) {
      const world = await startPopUp(kind, "analytics");
      const begun = await world.connect();
      const program = browserOf(world);
      const gone = await program.open(begun.connect_url, headers);
      expect([gone.status, gone.headers["set-cookie"]]).toEqual([302, expect.stringContaining("sb_connect_us=")]);
      const answer = await world.answerAt(String(gone.headers.location));
      expect((await browserOf(world).open(answer.href, headers)).status).toBe(200);
    }
  });

  test("works once: a second use of the same state or page says that the sign-in is over", async () => {
    const world = await startPopUp(kind, "analytics");
    const begun = await world.connect();
    const browser = browserOf(world);
    const { onward } = await browser.open(begun.connect_url);
    const gone = await browser.open(onward, ownLink);
    const answer = await world.answerAt(String(gone.headers.location));
    expect((await browser.open(answer.href)).status).toBe(200);
    const again = [await browser.open(answer.href), await browser.open(begun.connect_url), await browser.open(onward)];
    for (const each of again) {
      expect([each.status, each.text.includes("This sign-in was used already.")]).toEqual([400, true]);
    }
    expect(await world.team.store.query("select id from connections")).toHaveLength(1);
  });

  test("expires after ten minutes, and one that no one started is unknown", async () => {
    const world = await startPopUp(kind, "analytics");
    const begun = await world.connect();
    world.team.advance(601);
    expect((await browserOf(world).open(begun.connect_url)).text).toContain("longer than ten minutes");
    expect((await browserOf(world).open("/oauth/start?state=nothing")).text).toContain("not known here");
    expect((await browserOf(world).open("/oauth/start")).text).toContain("has no state");
  });

  test("skips the page only in the session that started it, and only for a page of ours", async () => {
    const world = await startPopUp(kind, "analytics");
    const { team } = world;
    const colleague = await team.colleague("colleague", "admin");
    for (const person of [team.owner, colleague]) await givePassword(team, person);
    const [own, other] = [await signIn(team, team.owner), await signIn(team, colleague)];
    const begun = await world.connect({}, inSession(world, own));
    for (const token of [other, "a".repeat(43)]) {
      expect((await browserOf(world).open(begun.connect_url, ownLink, sessionCookie(token))).status).toBe(200);
    }
    const { "sec-fetch-site": _, ...withoutSite } = navigation;
    const elsewhere = ["cross-site", "same-site", "none"].map((site) => ({ ...navigation, "sec-fetch-site": site }));
    for (const headers of [...elsewhere, withoutSite]) {
      const shown = await browserOf(world).open(begun.connect_url, headers, sessionCookie(own));
      expect([headers, shown.status, shown.text.includes("Connect an account")]).toEqual([headers, 200, true]);
    }
    const browser = browserOf(world);
    const gone = await browser.open(begun.connect_url, ownLink, sessionCookie(own));
    expect(gone.status).toBe(302);
    const answer = await world.answerAt(String(gone.headers.location));
    expect((await browser.open(answer.href)).status).toBe(200);
  });

  /**
   * "The attacker's provider signs the victim's browser in as the attacker, and `next` leads on to the consent." The browser then has
   * a session of the person who asked, but not the one that asked.
   */
  test("shows the page to a browser that was signed in as the attacker", async () => {
    const world = await startPopUp(kind, "analytics");
    const { team } = world;
    await givePassword(team, team.owner);
    const [attackers, planted] = [await signIn(team, team.owner), await signIn(team, team.owner)];
    const begun = [await world.connect({}, inSession(world, attackers)), await world.connect()];
    for (const { connect_url, connect_id } of begun) {
      for (const headers of [navigation, ownLink]) {
        const shown = await browserOf(world).open(connect_url, headers, sessionCookie(planted));
        expect([shown.status, shown.text.includes("Connect an account")]).toEqual([200, true]);
      }
      expect(await world.status(connect_id)).toEqual({ state: "pending" });
      const { pathname, search } = new URL(connect_url);
      expect(safePath(pathname + search, "http://us.test")).toBeNull();
    }
  });

  test("works twice at the same time in one browser", async () => {
    const world = await startPopUp(kind, "analytics");
    const browser = browserOf(world);
    const flows = [await world.connect(), await world.connect()];
    const onward = [];
    for (const { connect_url } of flows) onward.push((await browser.open(connect_url)).onward);
    const answers = [];
    for (const link of onward) {
      const gone = await browser.open(link, ownLink);
      answers.push(await world.answerAt(String(gone.headers.location)));
    }
    for (const answer of answers.reverse()) expect((await browser.open(answer.href)).status).toBe(200);
    for (const { connect_id } of flows) expect(await world.status(connect_id)).toMatchObject({ state: "connected" });
  });
});
