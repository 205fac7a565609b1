import { existsSync } from "node:fs";

/** Debian's Chromium without windows: opening pages costs an eighth of what the whole browser takes. */
const shell = { package: "chromium-headless-shell", path: "/usr/bin/chromium-headless-shell" };
const whole = { package: "chromium", path: "/usr/bin/chromium" };

/** Debian's packages in the order in which they are tried. */
export const chromiumPackages = [shell.package, whole.package];

/** The one in CHROMIUM_PATH, or Debian's; undefined if the machine has none. */
export function findChromium(): string | undefined {
  const paths = [process.env.CHROMIUM_PATH, shell.path, whole.path, "/usr/bin/chromium-browser"];
  return paths.find((path) => path !== undefined && existsSync(path));
}
