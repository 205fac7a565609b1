import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { freePort } from "../support/processes/free-ports.ts";
import { temporaryFolder } from "../support/stores.ts";

/** "`Dockerfile` … and compose file with PostgreSQL, systemd unit, both started in a test where the machine can." */

const root = fileURLToPath(new URL("../..", import.meta.url));
const minutes = 60_000;

interface Ended {
  status: number | null;
  said: string;
}

function run(program: string, args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: "utf8", timeout: 8 * minutes });
  return { status, said: `${stdout}${stderr}` };
}

/** Null if containers can be started here; otherwise why not. */
function whyNoContainers(): string | null {
  if (run("docker", ["compose", "version"]).status !== 0) return "there is no docker compose";
  if (run("docker", ["info"]).status !== 0) return "no Docker daemon responds";
  for (const image of ["node:26-slim", "postgres:17"]) {
    const has = () => run("docker", ["image", "inspect", image]).status === 0;
    if (!has() && run("docker", ["pull", "--quiet", image]).status !== 0) return `${image} cannot be pulled`;
  }
  return null;
}

const noContainers = whyNoContainers();
if (noContainers !== null) console.log(`Tests: ${noContainers}, so compose.yaml is not started.`);

test.skipIf(noContainers !== null)(
  "the commands of docs/production.md start compose.yaml, healthy",
  async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    const file = join(folder, "compose.yaml");
    writeFileSync(
      file,
      readFileSync(join(root, "compose.yaml"), "utf8").replace("127.0.0.1:4100:", `127.0.0.1:${port}:`),
    );
    const [, printf = ""] = /^(printf .*) > \.env$/m.exec(readFileSync(join(root, "docs/production.md"), "utf8")) ?? [];
    expect(run("bash", ["-c", `${printf} > ${folder}/.env`])).toEqual({ status: 0, said: "" });
    const compose = (...args: string[]): Ended =>
      run("docker", [
        ...["compose", "--project-name", `signalbox-test-${process.pid}`, "--project-directory", root],
        ...["--file", file, "--env-file", join(folder, ".env"), ...args],
      ]);
    try {
      const up = compose("up", "--detach", "--build", "--wait");
      expect(up.status, up.said).toBe(0);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      const create = ["users", "create", "--region", "us", "--email", "you@example.com", "--json"];
      const created = compose("exec", "--no-TTY", "signalbox", "signalbox", ...create);
      expect(created.said).toMatch(/"api_key":"sbk_us_/);
    } finally {
      compose("down", "--volumes", "--rmi", "local");
    }
  },
  10 * minutes,
);

const isSystemd = existsSync("/run/systemd/system") && process.getuid?.() === 0;
if (!isSystemd) console.log("Tests: systemd does not run here, or not for this user, so the unit is not started.");

test.skipIf(!isSystemd)(
  "systemd starts the unit and stops it in good order",
  async () => {
    const name = `signalbox-test-${process.pid}`;
    const unit = `/run/systemd/system/${name}.service`;
    const settings = join(temporaryFolder(), "signalbox.env");
    const port = await freePort();
    const key = Buffer.alloc(32, 1).toString("base64");
    writeFileSync(settings, `SIGNALBOX_REGIONS=us\nSIGNALBOX_MASTER_KEY=${key}\nSIGNALBOX_PORT=${port}\n`, {
      mode: 0o600,
    });
    const sample = readFileSync(join(root, "deploy/systemd/signalbox.service"), "utf8")
      .replaceAll("/opt/signalbox/", root)
      .replaceAll("/opt/signalbox", root)
      // A user of its own, and folders that go with the test; the repository may be in a home folder.
      .replace(/^User=.*\nGroup=.*$/m, "DynamicUser=yes")
      .replace(/^ProtectHome=yes$/m, `ProtectHome=tmpfs\nBindReadOnlyPaths=${root}`)
      .replace("/etc/signalbox.env", settings)
      .replaceAll(/(\/var\/(?:lib|cache)\/|Directory=)signalbox\b/g, `$1${name}`);
    writeFileSync(unit, sample);
    try {
      run("systemctl", ["daemon-reload"]);
      expect(run("systemctl", ["start", name])).toEqual({ status: 0, said: "" });
      const ready = async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      await vi.waitFor(ready, { timeout: minutes, interval: 200 });
      expect(run("systemctl", ["stop", name]).status).toBe(0);
      expect(run("systemctl", ["show", "--property=Result", name]).said).toBe("Result=success\n");
    } finally {
      run("systemctl", ["stop", name]);
      rmSync(unit, { force: true });
      run("systemctl", ["daemon-reload"]);
      for (const folder of ["lib", "cache"]) rmSync(`/var/${folder}/private/${name}`, { recursive: true, force: true });
    }
  },
  3 * minutes,
);
