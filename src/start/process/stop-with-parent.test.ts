import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freePorts } from "../../../test/support/processes/free-ports.ts";
import { temporaryFolder } from "../../../test/support/stores.ts";

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
