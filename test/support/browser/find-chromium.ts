import { existsSync } from "node:fs";
import { installPackage } from "../runner/debian-package.ts";

/** Debian's Chromium without windows: tests of pages take a third less of the processors than in the whole browser. */
const shell = { package: "chromium-headless-shell", path: "/usr/bin/chromium-headless-shell" };
const whole = { package: "chromium", path: "/usr/bin/chromium" };

/** The one in CHROMIUM_PATH, or Debian's; undefined if the machine has none. */
export function findChromium(): string | undefined {
  const paths = [process.env.CHROMIUM_PATH, shell.path, whole.path, "/usr/bin/chromium-browser"];
  return paths.find((path) => path !== undefined && existsSync(path));
}

/** The one without windows also where the machine has the whole browser, which serves where the other cannot be had. */
export function installChromium(): void {
  if (process.env.CHROMIUM_PATH !== undefined) return;
  if (!existsSync(shell.path)) installPackage(shell.package);
  if (findChromium() === undefined) installPackage(whole.package);
}
