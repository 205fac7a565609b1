import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage } from "./debian-package.ts";

/** Where a program is, installed from Debian if the machine allows it. Empty if there is none: `without` says what is not shown then. */
export function findProgram(name: string, debianPackage: string, without: string): string {
  if (find(name) === "") installPackage(debianPackage);
  return findInstalled(name, debianPackage, without);
}

/** The same for a package that brings so many others with it that only a person installs it. */
export function findInstalled(name: string, debianPackage: string, without: string): string {
  const found = find(name);
  if (found === "") console.log(`Tests: ${name} was not found (Debian's package ${debianPackage}), so ${without}.`);
  return found;
}

function find(name: string): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  return folders.map((path) => join(path, name)).find(existsSync) ?? "";
}
