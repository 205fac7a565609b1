import { describe, expect, inject, test } from "vitest";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../support/stores.ts";

const clockAhead = new URL("../support/processes/clock-ahead.ts", import.meta.url).pathname;

describe.skipIf(inject("postgresUrl") === null)("a node on PostgreSQL whose clock is ten years ahead", () => {
  // "Clock jumps of years both ways." Its leases would never end for the other nodes, and theirs would have ended for it.
  test("writes the time of the database", async () => {
    const url = await newPostgresDatabase();
    const home = temporaryFolder();
    const server = await startServer(home, { SIGNALBOX_DATABASE_URL_US: url }, clockAhead);
    cleanUpLater(() => server.kill());
    const { project_id, api_key, organization_id } = firstRunOf(home);
    const caller = createCaller(server.port);
    cleanUpLater(async () => caller.close());
    const project = { name: "Now", description: "Made by the node", organization_id };
    const made = await caller.call("projects/create", project, { authorization: `Bearer ${project_id}:${api_key}` });
    expect(made.status).toBe(200);
    const db = openPostgres(url, 1);
    cleanUpLater(() => db.close());
    const [row] = await db.query(
      `select abs(extract(epoch from created_at::timestamptz - clock_timestamp())) < 3600 as is_now
         from projects where name = 'Now'`,
    );
    expect(row).toEqual({ is_now: true });
  });
});
