import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";
import { freePorts } from "../../../test/support/processes/free-ports.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../../../test/support/stores.ts";
import { openPostgres } from "../../store/postgres/postgres.ts";

const wrapper = fileURLToPath(new URL("../../../bin/signalbox.js", import.meta.url));
const program = fileURLToPath(new URL("../../cli/signalbox.ts", import.meta.url));

// The wrapper hands over to the Node of the package only where it runs under an older one.
const asOlderNode = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } })`;

const npmStart = `require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: "inherit" })`;

// "kill -9 of the wrapper under Node 20 does not leave a server behind that holds the port."
test.each([
  ["the wrapper", ["--import", asOlderNode, wrapper], {}],
  ["npm start", ["-e", npmStart, program], { npm_lifecycle_event: "start", npm_package_name: "signalbox" }],
])(
  "a server whose parent (%s) is killed with SIGKILL stops in good order, and leaves its port",
  async (_, before, more) => {
    const port = await freePorts(1);
    const serve = ["serve", "--first-run", "--regions", "us", "--port", String(port), "--home", temporaryFolder()];
    const parent = spawn(process.execPath, [...before, ...serve], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH, SIGNALBOX_SANDBOXES: "off", ...more },
    });
    let output = "";
    const ready = new Promise<void>((resolve, reject) => {
      parent.stdout.on("data", (chunk) => {
        output += chunk;
        if (output.includes("Stop with Ctrl-C.")) resolve();
      });
      parent.once("close", () => reject(new Error(`It ended before it was ready:\n${output}`)));
    });
    await ready;
    parent.kill("SIGKILL");
    // The server writes to the same pipe: it is closed once both have ended.
    await once(parent, "close");
    expect(output).toContain("the process that started the server has ended");
    expect(output).toMatch(/"msg":"stopped"/);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  },
);

// The same while the start still waits: here another node migrates the store of the second region.
test.skipIf(inject("postgresUrl") === null)(
  "a server whose wrapper is killed during its start ends, and leaves the port of the region that listens already",
  async () => {
    const url = await newPostgresDatabase("template0");
    const otherNode = openPostgres(url, 1);
    cleanUpLater(() => otherNode.close());
    const port = await freePorts(2);
    await otherNode.exclusively(async (db) => {
      const serve = ["serve", "--first-run", "--regions", "us,eu", "--port", String(port), "--home", temporaryFolder()];
      const parent = spawn(process.execPath, ["--import", asOlderNode, wrapper, ...serve], {
        stdio: ["ignore", "pipe", "inherit"],
        env: {
          PATH: process.env.PATH,
          SIGNALBOX_SANDBOXES: "off",
          SIGNALBOX_DATABASE_URL_EU: url,
          SIGNALBOX_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
        },
      });
      let output = "";
      parent.stdout.on("data", (chunk) => {
        output += chunk;
      });
      const waiting = `select count(*) as n from pg_locks join pg_database d on d.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`;
      await expect.poll(() => db.query(waiting), { timeout: 20_000 }).toEqual([{ n: 1 }]);
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      parent.kill("SIGKILL");
      // The server writes to the same pipe: it is closed once both have ended.
      await once(parent, "close");
      expect(output).toContain("the process that started the server has ended");
      await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    });
  },
);
