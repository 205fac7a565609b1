import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signalbox, startCommand } from "../../../test/support/command.ts";
import { commandLine } from "../../../test/support/command-line.ts";
import { freePort } from "../../../test/support/free-ports.ts";
import { temporaryFolder } from "../../../test/support/stores.ts";

interface Found {
  check: string;
  ok: boolean;
  detail: string;
  remedy: string | null;
}

async function doctor(home: string, environment: Record<string, string> = {}) {
  const { code, stdout } = await commandLine(["doctor", "--home", home, "--json"], environment);
  const { results } = JSON.parse(stdout) as { results: Found[] };
  return { code, wrong: results.filter(({ ok }) => !ok) };
}

/** A folder in which a server has been at work. */
async function servedFolder(): Promise<string> {
  const home = temporaryFolder();
  const port = String(await freePort());
  const server = startCommand(["serve", "--first-run", "--regions", "us", "--port", port, "--home", home]);
  await server.printed(/Stop with Ctrl-C\.\n/);
  server.signal("SIGTERM");
  expect((await server.finished).code).toBe(0);
  return home;
}

const start = (home: string) => signalbox(["serve", "--first-run", "--regions", "us", "--home", home]);

// "`doctor` with a wrong or broken master key, or a folder that cannot be written: not ok."
describe("a master key", () => {
  test("that is missing, broken or another one is found, and none is created instead", async () => {
    const home = await servedFolder();
    expect(await doctor(home)).toEqual({ code: 0, wrong: [] });
    const file = join(home, "master.key");
    const key = readFileSync(file);

    rmSync(file);
    const missing = await doctor(home);
    expect(missing).toEqual({
      code: 1,
      wrong: [
        {
          check: "master key",
          what: "master key",
          ok: false,
          detail: expect.stringMatching(/holds data, but its master\.key is gone/),
          remedy: expect.stringMatching(/^Put master\.key back/),
        },
      ],
    });
    const files = readdirSync(home);
    const refused = await start(home);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/^signalbox: The data folder .* master\.key is gone\. Put master\.key back/);
    expect(readdirSync(home)).toEqual(files);

    writeFileSync(file, "half a k");
    const broken = await doctor(home);
    expect(broken.wrong).toMatchObject([{ check: "master key", detail: expect.stringMatching(/32 bytes/) }]);
    const halfStart = await start(home);
    expect([halfStart.code, halfStart.stderr]).toEqual([
      2,
      expect.stringMatching(/^signalbox: The master key in .*32 bytes/),
    ]);

    writeFileSync(file, randomBytes(32).toString("base64"));
    const another = await doctor(home);
    expect(another.wrong).toMatchObject([
      { check: "master key", detail: expect.stringMatching(/region us need the master key/) },
    ]);
    expect((await start(home)).code).toBe(2);

    writeFileSync(file, key);
    expect((await doctor(home)).code).toBe(0);
  });

  test("in a setting that cannot be used is a finding, not only a refusal", async () => {
    const { code, wrong } = await doctor(temporaryFolder(), { SIGNALBOX_MASTER_KEY: "short" });
    expect(code).toBe(1);
    expect(wrong).toMatchObject([{ check: "master key", detail: expect.stringMatching(/^SIGNALBOX_MASTER_KEY/) }]);
  });
});

test("a data folder that cannot be written is found, and nothing is left in one that can", async () => {
  const parent = temporaryFolder();
  writeFileSync(join(parent, "a-file"), "");
  // Even root cannot make a folder in a file.
  const { code, wrong } = await doctor(join(parent, "a-file", "data"));
  expect(code).toBe(1);
  expect(wrong).toMatchObject([
    {
      check: "data folder",
      detail: expect.stringMatching(/cannot be written/),
      remedy: expect.stringMatching(/--home/),
    },
  ]);
  expect((await doctor(join(parent, "data"))).code).toBe(0);
  expect(readdirSync(parent)).toEqual(["a-file"]);
  expect(existsSync(join(parent, "data"))).toBe(false);
});
