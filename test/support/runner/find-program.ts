import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage } from "./debian-package.ts";

/** Where a program is, installed from Debian if the machine allows it. Empty if there is none: `without` says what is not shown then. */
export function findProgram(name: string, debianPackage: string, without: string): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  const find = () => folders.map((path) => join(path, name)).find(existsSync) ?? "";
  if (find() === "") installPackage(debianPackage);
  const found = find();
  if (found === "") console.log(`Tests: ${name} was not found (Debian's package ${debianPackage}), so ${without}.`);
  return found;
}
