// Runs before `npm start` and `npm test`, on whatever Node the machine has: plain JavaScript, nothing imported.
// Installs the dependencies from the lock file when they are missing or stale, and says so.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${root}node_modules/.signalbox-installed`;
const lock = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .digest("hex");

const [installedLock, installedParts] = existsSync(stamp) ? readFileSync(stamp, "utf8").trim().split(" ") : [];
// An install with everything keeps everything: starting must not take the tests' tools away.
const wanted = process.argv[2] === "all" || installedParts === "all" ? "all" : "runtime";
const isFresh = installedLock === lock && (installedParts === "all" || installedParts === wanted);

if (!isFresh) {
  const reason = installedLock === undefined ? "not installed yet" : "the lock file or what is needed has changed";
  console.log(
    `Signalbox: ${reason}; installing ${wanted === "all" ? "everything" : "what running needs"} with npm, some seconds …`,
  );
  const parts = wanted === "all" ? ["--include=dev"] : ["--omit=dev"];
  const options = ["ci", ...parts, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", options, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) {
    console.error("Signalbox: npm ci failed; the lines above say why. It needs the npm registry, once.");
    process.exit(1);
  }
  if (!existsSync(`${root}node_modules/.bin/node`)) {
    console.error(
      `Signalbox: no Node 26 package for ${process.platform} ${process.arch}. There are ones for linux x64, linux arm64 and darwin arm64; elsewhere install Node 26 and run \`node src/cli/signalbox.ts serve --first-run\`.`,
    );
    process.exit(1);
  }
  writeFileSync(stamp, `${lock} ${wanted}\n`);
}
