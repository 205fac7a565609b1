import { existsSync } from "node:fs";

/** Debian's Chromium, or the one in CHROMIUM_PATH; undefined if the machine has none. */
export function findChromium(): string | undefined {
  const paths = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  return paths.find((path) => path !== undefined && existsSync(path));
}
