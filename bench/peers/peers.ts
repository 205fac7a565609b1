import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

export const peerFolder = (name: string): URL => new URL(`./${name}/`, import.meta.url);

/**
 * Installs a peer from its own lock file, when it is first needed. Signalbox itself never depends on it. Answers whether
 * it is there; without the npm registry it is not, and the ratios that need it are left out.
 */
export function installPeer(name: string): boolean {
  const folder = peerFolder(name);
  const stamp = new URL("node_modules/.installed", folder);
  const lock = createHash("sha256")
    .update(readFileSync(new URL("package-lock.json", folder)))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return true;
  console.log(`Installing ${name} into bench/peers/${name} with npm, some seconds …`);
  const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", options, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) return false;
  writeFileSync(stamp, lock);
  return true;
}
