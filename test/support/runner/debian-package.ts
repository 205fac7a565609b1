import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const updateMilliseconds = 60_000;
/** Several test files may install something at the same time: each waits for its turn, in seconds at most. */
const turns = ["-o", "DPkg::Lock::Timeout=120"];

/** Installs a Debian package, if the machine allows it. The caller checks whether it worked. */
export function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  console.log(`Tests: no ${name} on this machine; installing Debian's package …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (timeout: number | undefined, ...args: string[]) =>
    spawnSync("apt-get", args, { stdio: "ignore", env: environment, timeout }).status;
  const options = ["-y", "-qq", "--no-install-recommends", "--no-remove", ...turns];
  const install = () => apt(undefined, "install", ...options, name);
  // A fresh machine has no lists of packages; reading them takes longer than most installations, and without a network for ever.
  if (install() === 0) return;
  if (apt(updateMilliseconds, "update", "-qq") === 0) install();
}
