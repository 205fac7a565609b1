import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  hasPseudoTerminal,
  inPseudoTerminal,
  openTerminal,
  wrappedLines,
} from "../../../test/support/processes/pseudo-terminal.ts";
import { startServedTeam } from "../../../test/support/processes/served-team.ts";
import { findProgram } from "../../../test/support/runner/find-program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: `${root}node_modules/.cache/signalbox-tests` };

// calling/every-operation.test.ts runs every operation in such a terminal.
describe.skipIf(!hasPseudoTerminal)("in a real terminal of 80 columns", () => {
  test("the help of the program and of a command fits", async () => {
    for (const command of ["./signalbox --help", "./signalbox runs list --help", "./signalbox agents create --help"]) {
      const { code, text } = await inPseudoTerminal(command, { cwd: root, env });
      expect([command, code, wrappedLines(text)]).toEqual([command, 0, []]);
      expect(text.split("\n").length).toBeGreaterThan(10);
    }
  });

  test("a key is asked for without an echo, a long list shows a bar, and refusals fit", async () => {
    const { baseUrl, folder, run: inPipes, environment } = await startServedTeam();
    const { SIGNALBOX_API_KEY: key = "", ...without } = environment;
    const { run } = await openTerminal(without);
    const [unasked, login] = [["login", "--with-key", "--base-url", baseUrl], { asked: false }];
    const done = await run(unasked, (text, type) => {
      if (login.asked || !text.endsWith("API key: ")) return;
      login.asked = true;
      type(`${key}\n`);
    });
    expect([done.code, done.text]).toEqual([0, expect.stringMatching(/email +owner@example\.com/)]);
    expect(done.text).not.toContain(key);

    for (let count = 0; count < 5; count++)
      await inPipes(["webhooks", "create", "--url", `https://nobody.invalid/${count}`]);
    const file = join(folder, "all.jsonl");
    const all = await run(["webhooks", "list", "--all", "--limit", "2", "--to", file]);
    expect([all.code, all.text]).toEqual([0, expect.stringMatching(/reading \[\.+#{6}\.*\] 4 records, \d/)]);
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(5);

    const refused = await run(["runs", "get", "run_us_none"]);
    const long = await run([
      "tools",
      "push",
      join(folder, "a-folder-with-a-name-that-is-so-long-that-it-needs-a-line"),
    ]);
    expect([refused.code, long.code]).toEqual([3, 2]);
    const browser = await run(["logout"]);
    for (const { text } of [done, all, refused, long, browser]) expect(wrappedLines(text)).toEqual([]);
  });

  test("a restore asks before it replaces a store, and prints what was kept", async () => {
    const { folder } = await startServedTeam();
    const home = join(folder, "home");
    const { run } = await openTerminal({ SIGNALBOX_HOME: home, SIGNALBOX_REGIONS: "us" });
    expect((await run(["migrate"])).code).toBe(0);
    const backup = join(folder, "us.backup");
    expect((await run(["backup", "--region", "us", "--to", backup])).code).toBe(0);
    const restore = (answer: string) => {
      let asked = false;
      return run(["restore", "--region", "us", "--from", backup], (text, type) => {
        if (asked || !text.endsWith("[y/N] ")) return;
        asked = true;
        type(`${answer}\n`);
      });
    };
    const left = await restore("n");
    expect([left.code, left.text]).toEqual([
      2,
      expect.stringMatching(/Go on\? \[y\/N\] n\s+signalbox: Nothing was changed\./),
    ]);
    const done = await restore("y");
    expect([done.code, done.text]).toEqual([0, expect.stringMatching(/is\s+kept:\s+\S+before-restore-/)]);
    for (const { text } of [left, done]) expect(wrappedLines(text)).toEqual([]);

    const operate = async (code: number, ...words: string[]) => {
      const seen = await run(words);
      expect([words, seen.code, wrappedLines(seen.text)]).toEqual([words, code, []]);
      return seen.text;
    };
    const email = ["--email", "somebody.with.a.long.name@department.example.com"];
    expect(await operate(0, "users", "create", ...email)).toMatch(/api_key +sbk_us_/);
    await operate(0, "users", "set-role", ...email, "--role", "owner");
    await operate(0, "users", "set-password", ...email, "--generate");
    await operate(0, "keys", "create", ...email);
    expect(await operate(0, "keys", "list", ...email)).toMatch(/^key_id/m);
    await operate(0, "users", "deactivate", ...email);
    await operate(0, "users", "reactivate", ...email);
    // The first server creates the master key, and these need it.
    await operate(2, "connections", "list", "--store");
    await operate(2, "connections", "check", "--connection", "con_us_none");
    await operate(3, "keys", "revoke", "--key", "key_us_none");
    await operate(3, "domains", "verify", "--domain", "a.example.com", "--organization", "org_us_none");
    expect(await operate(0, "audit", "verify", "--region", "us")).toMatch(/us/);
    await operate(0, "archive", "list");
    await operate(2, "partition", "--plan");
    await operate(2, "rotate-key");
    // No server has made a master key yet.
    expect(await operate(1, "doctor")).toMatch(/^WRONG master key: [\s\S]*^ok +store us/m);
  });
});

test("the launcher starts from any folder, through a link too, and says what to do where nothing is installed", () => {
  const run = (script: string) => spawnSync("sh", ["-c", script, "sh", root], { encoding: "utf8" });
  const linked = run('cd "$(mktemp -d)" && ln -s "$1signalbox" here && ./here --version');
  expect([linked.status, linked.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  const bare = run('cd "$(mktemp -d)" && cp "$1signalbox" . && PATH=/usr/bin:/bin ./signalbox --version');
  expect([bare.status, bare.stdout]).toEqual([2, ""]);
  expect(bare.stderr).toMatch(/^Signalbox is not installed yet: run `npm start`/);
});

// "Completion for bash, zsh and fish": each in its own shell.
describe("completion", () => {
  const bash = `source <(./signalbox completion bash); COMP_WORDS=(./signalbox runs re); COMP_CWORD=2; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
  // compadd would need the line editor of a person; what it is given is what they see.
  const zsh = `autoload -U compinit; compinit -u -D; source <(./signalbox completion zsh); _describe() { print -rl -- \${(P)2%%:*}; }; words=(./signalbox runs re); CURRENT=3; _signalbox; print -r -- $_comps[./signalbox]`;
  const fish = `./signalbox completion fish | source; complete -C "./signalbox runs re"`;
  test.each([
    ["bash", "bash", bash, ["resolve", "replay"]],
    ["zsh", "zsh", zsh, ["resolve", "replay", "_signalbox"]],
    ["fish", "fish", fish, ["replay", "resolve"]],
  ])("of %s offers commands in %s", (name, debianPackage, script, expected) => {
    const shell = findProgram(name, debianPackage, "its completion is not tested");
    if (shell === "") return;
    const { stdout, stderr } = spawnSync(shell, [...(name === "bash" ? ["--norc"] : []), "-c", script], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    const offered = stdout.trim().split("\n");
    expect([stderr, offered.map((line) => line.split("\t")[0])]).toEqual(["", expected]);
  });

  // "With live values": ids that the server knows.
  test("offers the project's own tools in each shell", async () => {
    const { environment, run: inPipes } = await startServedTeam();
    const tool = ["--title", "Rest", "--steps", '[{"name":"rest","step":"wait","input":{"seconds":1}}]'];
    const { tool_id: id } = JSON.parse((await inPipes(["tools", "create", ...tool, "--json"])).stdout);
    for (const [name, script] of Object.entries({ bash, zsh, fish })) {
      const shell = findProgram(name, name, "its completion is not tested");
      if (shell === "") continue;
      const live = script
        .replace("runs re)", "tools get tol_)")
        .replace("CWORD=2", "CWORD=3")
        .replace("CURRENT=3", "CURRENT=4");
      const args = [...(name === "bash" ? ["--norc"] : []), "-c", live.replace('runs re"', 'tools get tol_"')];
      const { stdout } = await promisify(execFile)(shell, args, { cwd: root, env: { ...env, ...environment } });
      expect([name, stdout.split(/[\t\n]/)[0]]).toEqual([name, id]);
    }
  });
});
