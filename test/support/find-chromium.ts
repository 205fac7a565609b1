import { existsSync } from "node:fs";

/** Debian's Chromium, or the one that CHROMIUM_PATH names; undefined where the machine has none. */
export function findChromium(): string | undefined {
  const paths = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  return paths.find((path) => path !== undefined && existsSync(path));
}
