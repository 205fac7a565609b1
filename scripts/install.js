// Runs before `npm start` and `npm test`, on whatever Node the machine has: plain JavaScript, nothing imported.
// Installs the dependencies from the lock file when they are missing or stale, and says so.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${root}node_modules/.signalbox-installed`;
const hashOf = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
const lock = hashOf(`${root}package-lock.json`);

const [installedLock, installedParts] = existsSync(stamp) ? readFileSync(stamp, "utf8").trim().split(" ") : [];
// An install with everything keeps everything: starting must not take the tests' tools away.
const wanted = process.argv[2] === "all" || installedParts === "all" ? "all" : "runtime";
const isFresh = installedLock === lock && (installedParts === "all" || installedParts === wanted);

if (!isFresh) {
  const reason = installedLock === undefined ? "not installed yet" : "the lock file or what is needed has changed";
  console.log(
    `Signalbox: ${reason}; installing ${wanted === "all" ? "everything" : "what running needs"} with npm, about a minute …`,
  );
  installIn(root, wanted === "all" ? "--include=dev" : "--omit=dev");
  if (!existsSync(`${root}node_modules/.bin/node`)) {
    console.error(
      `Signalbox: no Node 26 package for ${process.platform} ${process.arch}. There are ones for linux x64, linux arm64 and darwin arm64; elsewhere install Node 26 and run \`node --max-semi-space-size=8 src/cli/signalbox.ts serve --first-run\`.`,
    );
    process.exit(1);
  }
  writeFileSync(stamp, `${lock} ${wanted}\n`);
}

// Generators of clients and linters of packages need another TypeScript, so they live apart from ours.
if (process.argv[2] === "all") {
  const apart = `${root}.generators/`;
  const wish = `${root}test/generators/`;
  const lockApart = hashOf(`${wish}package-lock.json`);
  if (!existsSync(`${apart}installed`) || readFileSync(`${apart}installed`, "utf8") !== lockApart) {
    console.log("Signalbox: installing the generators and linters that the tests use, some seconds …");
    mkdirSync(apart, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) cpSync(`${wish}${name}`, `${apart}${name}`);
    installIn(apart, "--include=dev");
    writeFileSync(`${apart}installed`, lockApart);
  }
}

function installIn(folder, parts) {
  const options = ["ci", parts, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", options, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  console.error("Signalbox: npm ci failed; the lines above say why. It needs the npm registry, once.");
  process.exit(1);
}
