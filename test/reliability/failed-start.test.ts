import { describe, expect, inject, test } from "vitest";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { type Finished, signalbox } from "../support/processes/command.ts";
import { freePort } from "../support/processes/free-ports.ts";
import { newPostgresDatabase, temporaryFolder } from "../support/stores.ts";

const start = async (url: string, processes = "1"): Promise<Finished> =>
  signalbox(["serve", "--home", temporaryFolder(), "--port", String(await freePort()), "--regions", "us"], {
    SIGNALBOX_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
    SIGNALBOX_LOG_LEVEL: "error",
    SIGNALBOX_DATABASE_URL_US: url,
    SIGNALBOX_PROCESSES: processes,
  });

/** A supervisor that sees a process takes it for a server that runs. */
describe.skipIf(inject("postgresUrl") === null)("a start on PostgreSQL that fails", () => {
  test.for(["1", "2"])("ends with its reason, though its store is open already: %s process(es)", async (processes) => {
    const url = await newPostgresDatabase();
    const operator = openPostgres(url, 1);
    await operator.query(
      "insert into code_keys (id, master_key_id, wrapped, created_at) values ('invites', 'another', '', '')",
    );
    await operator.close();
    const { code, stderr } = await start(url, processes);
    expect(code).toBe(1);
    expect(stderr).toContain("needs the master key another, which is missing");
    // It ends because everything is closed, and not because it took too long.
    expect(stderr).not.toContain("did not close in time");
  });
});
