import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { readFirstRun } from "../../src/start/first-run/first-run.ts";
import { newSmallDisk, whyNoSmallDisk } from "../support/databases/small-disk.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater } from "../support/stores.ts";

// "A half-written or deleted first-run.json is made anew from the store, whole, or said in a sentence. A full disk does not
// prevent a start that only reads."
test.for(["deleted", "half-written"] as const)(
  "a start on a full disk with a %s first-run.json reads, says so, and makes the file once there is space",
  async (state, context) => {
    const disk = newSmallDisk(32);
    if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
    const home = join(disk.folder, "data");
    const start = async () => {
      // As `npm start` does.
      const server = await startServer(home, { SIGNALBOX_SANDBOXES: "own", SIGNALBOX_LOG_LEVEL: "warn" });
      cleanUpLater(() => server.kill());
      return server;
    };
    const first = await start();
    const known = firstRunOf(home);
    expect(Object.keys(known.connections ?? {})).toHaveLength(3);
    const before = createCaller(first.port);
    cleanUpLater(async () => before.close());
    // The sandboxes begin anew with the server, so a start forgets what they had counted.
    const call = { connection_id: known.connections?.deployment, input: { method: "GET", path: "/v9/projects" } };
    const authorization = `Bearer ${known.project_id}:${known.api_key}`;
    expect(await before.call("steps/deployment_api_call/run", call, { authorization })).toMatchObject({ status: 200 });
    expect(await first.stop()).toBe(0);
    const file = join(home, "first-run.json");
    if (state === "deleted") rmSync(file);
    else writeFileSync(file, readFileSync(file, "utf8").slice(0, 150));
    const spoilt = existsSync(file) ? readFileSync(file, "utf8") : null;
    rmSync(join(home, "us.reserve"));
    // A reader that is open has made the files that SQLite needs to read: not a byte is left for the server.
    const reader = new DatabaseSync(join(home, "us.sqlite"));
    reader.exec("pragma journal_mode = wal; select count(*) from store_mark");
    disk.fill();

    const server = await start();
    reader.close();
    const caller = createCaller(server.port);
    cleanUpLater(async () => caller.close());
    const userOf = async (key: string) => {
      const { status, body } = await caller.call("auth/info", {}, { authorization: `Bearer :${key}` });
      return { status, user_id: body.user_id };
    };
    await expect
      .poll(() => server.printed())
      .toContain(
        "first-run.json is missing or damaged, and the disk is too full to create it again. The server starts without it",
      );
    expect(server.printed()).toContain("has no keys of the region us yet");
    expect(await userOf(known.api_key)).toEqual({ status: 200, user_id: known.user_id });
    expect(existsSync(file) ? readFileSync(file, "utf8") : null).toBe(spoilt);

    disk.free();
    // "`/readyz` answers 200 only once that file is complete."
    const ready = async () => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status;
    await expect.poll(ready, { timeout: 30_000 }).toBe(200);
    const { password: _, ...whole } = known;
    expect(readFirstRun(home).regions.us).toEqual({
      ...whole,
      base_url: `http://127.0.0.1:${server.port}`,
      api_key: expect.stringMatching(/^sbk_us_/),
      scim_token: expect.stringMatching(/^sbs_us_/),
    });
    const made = firstRunOf(home);
    expect(made.api_key).not.toBe(known.api_key);
    expect(await userOf(made.api_key)).toEqual({ status: 200, user_id: known.user_id });
    expect(readFirstRun(home).sandboxes).toBeDefined();
    await expect.poll(() => server.printed()).toMatch(/was created again with a new API key/);
    expect(await server.stop()).toBe(0);
  },
);
