import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Installs a Debian package, if the machine allows it. The caller checks whether it worked. */
export function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  console.log(`Tests: no ${name} on this machine; installing Debian's package …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore", env: environment });
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], {
    stdio: "ignore",
    env: environment,
  });
}
