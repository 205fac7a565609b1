import { statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { signalbox } from "../../../test/support/processes/command.ts";
import { freePorts } from "../../../test/support/processes/free-ports.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../../../test/support/stores.ts";
import { openPostgres } from "../../store/postgres/postgres.ts";

describe("signalbox serve that cannot start", () => {
  test("without a master key it refuses, and makes no file", async () => {
    const home = temporaryFolder();
    const { code, stdout, stderr } = await signalbox(["serve", "--home", home]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^signalbox: SIGNALBOX_MASTER_KEY is required: 32 bytes in base64/);
    expect(() => statSync(join(home, "us.sqlite"))).toThrow();
  });

  test("a port in use is named, with what to do", async () => {
    const blocker = createServer();
    const port = await freePorts(1);
    await new Promise<void>((resolve) => blocker.listen(port, "127.0.0.1", resolve));
    cleanUpLater(async () => blocker.close());
    const args = ["serve", "--first-run", "--regions", "us", "--port", String(port), "--home", temporaryFolder()];
    const { code, stderr } = await signalbox(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`^signalbox: address already in use 127\\.0\\.0\\.1:${port}\\. Another program.*--port`),
    );
  });

  // A supervisor restarts what has ended: a node that starts during a failover of its database must not stay, unable to serve.
  test.skipIf(inject("postgresUrl") === null)(
    "it ends, although connections to its database are open already",
    async () => {
      const url = await newPostgresDatabase();
      const store = openPostgres(url, 1);
      await store.query(
        "insert into code_keys values ('invites', 'another', 'v1.another.AAAA', '2026-01-01T00:00:00.000Z')",
      );
      await store.close();
      const { code, stderr } = await signalbox(["serve", "--regions", "us", "--port", String(await freePorts(1))], {
        SIGNALBOX_DATABASE_URL_US: url,
        SIGNALBOX_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
        SIGNALBOX_HOME: temporaryFolder(),
      });
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/The key of invite codes needs the master key another/),
      ]);
    },
  );

  test("an address that this machine does not have is named", async () => {
    const args = ["serve", "--first-run", "--regions", "us", "--host", "203.0.113.1", "--home", temporaryFolder()];
    const { code, stderr } = await signalbox(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^signalbox: SIGNALBOX_HOST \(or --host\) cannot be used: .*203\.0\.113\.1/);
  });
});
