import { expect, test } from "vitest";
import { readConfig } from "../../start/settings/config.ts";
import { greeting } from "./greeting.ts";
import { isReadable } from "./serve-regions.ts";

// "The start banner names the store of each region."
test("the banner names a region's PostgreSQL without its password", () => {
  const environment = {
    SIGNALBOX_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
    SIGNALBOX_DATABASE_URL_EU: "postgres://signalbox:canary@db.example:5433/signalbox_eu",
  };
  const text = greeting(readConfig(environment, { regions: "us,eu", home: "/srv/signalbox" }), 1);
  expect(text).toMatch(/region us {3}http\S+ {3}SQLite, \/srv\/signalbox\/us\.sqlite\n/);
  expect(text).toMatch(/region eu {3}http\S+ {3}PostgreSQL, .*db\.example.*signalbox_eu\n/);
  expect(text).not.toContain("canary");
});

// "Logs readable on a terminal and JSON elsewhere": kernel/readable-log.test.ts has both forms.
test("the log is readable on a terminal and JSON elsewhere, until a setting says otherwise", () => {
  const cases = (["auto", "text", "json"] as const).map((format) => [
    isReadable(format, true),
    isReadable(format, false),
  ]);
  expect(cases).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
});
