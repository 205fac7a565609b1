import { execFileSync, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/stores.ts";
import { gatherLines } from "./standard-output.ts";

const module = new URL("./standard-output.ts", import.meta.url).href;

describe("lines that are gathered", () => {
  test("are all there, whole and in order, once there are many of them", async () => {
    const file = join(temporaryFolder(), "lines");
    const output = gatherLines(openSync(file, "a"));
    const lines = Array.from({ length: 20_000 }, (_, i) => `{"line":${i},"text":"é€"}\n`);
    for (const [index, line] of lines.entries()) {
      output.write(line);
      if (index % 1000 === 0) await nextTurn();
    }
    const expected = lines.join("");
    while (readFileSync(file).length + 64_000 < Buffer.byteLength(expected)) await nextTurn();
    const written = readFileSync(file, "utf8");
    expect(expected.startsWith(written)).toBe(true);
  });

  test("are there when a process that ends has flushed them", () => {
    const program = `import { gatherLines } from "${module}"; const output = gatherLines(1);
      for (let i = 0; i < 3; i++) output.write("line " + i + "\\n"); output.flushSync(); process.exit(0);`;
    const text = execFileSync(process.execPath, ["--input-type=module", "--no-warnings", "-e", program]).toString();
    expect(text).toBe("line 0\nline 1\nline 2\n");
  });

  test("stay whole where several processes write to one reader, who is slow", async () => {
    const program = `import { gatherLines } from "${module}"; const output = gatherLines(1, true);
      for (let i = 0; i < 12_000; i++) output.write(process.argv[1].repeat(i % 90 + 1) + "\\n");
      process.stderr.write("x"); output.flushSync();`;
    const node = [process.execPath, "--input-type=module", "--no-warnings", "-e", program];
    const child = spawn("sh", ["-c", '"$@" a & "$@" b & wait', "sh", ...node]);
    let begun = 0;
    for await (const part of child.stderr) {
      begun += part.length;
      if (begun === 2) break;
    }
    let text = "";
    for await (const part of child.stdout) text += part;
    const lines = text.trim().split("\n");
    expect(lines.filter((line) => !/^(a{1,90}|b{1,90})$/.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThanOrEqual(24_000);
  });

  test("do not block a process whose reader has stalled, and arrive when it continues", async () => {
    const program = `import { gatherLines } from "${module}"; const output = gatherLines(1);
      for (let i = 0; i < 20; i++) output.write("x".repeat(63_999) + "\\n");
      setTimeout(() => process.stderr.write("still answering"), 1);`;
    const child = spawn(process.execPath, ["--input-type=module", "--no-warnings", "-e", program]);
    await new Promise((resolve) => child.stderr.once("data", resolve));
    let bytes = 0;
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length;
    });
    await new Promise((resolve) => child.once("close", resolve));
    expect(bytes).toBe(20 * 64_000);
  });
});
