import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Installs a Debian package, if the machine allows it. The caller checks whether it worked. */
export function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  console.log(`Tests: no ${name} on this machine; installing Debian's package …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args: string[]) => spawnSync("apt-get", args, { stdio: "ignore", env: environment }).status;
  const install = () => apt("install", "-y", "-qq", "--no-install-recommends", name);
  // A fresh machine has no lists of packages; reading them takes longer than most installations.
  if (install() === 0) return;
  apt("update", "-qq");
  install();
}
