import { parseSync } from "vite";

/** The wanted nodes of a TypeScript text, JSX included, in no particular order. */
export function nodesIn<T extends object>(file: string, text: string, isWanted: (node: object) => node is T): T[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const found: T[] = [];
  const left: unknown[] = [program];
  while (left.length > 0) {
    const node = left.pop();
    if (node === null || typeof node !== "object") continue;
    if (isWanted(node)) found.push(node);
    for (const child of Object.values(node)) left.push(child);
  }
  return found;
}
