import { type PlainPath, type RootName, rootNames } from "./plain-path.ts";

/** What an expression refers to, from its syntax tree. */
export interface References {
  roots: RootName[];
  /** Names behind `steps`, with their end in the text, so that they can be renamed. */
  steps: { name: string; member: string | null; end: number }[];
  params: string[];
  /** It accesses the steps in a way that cannot be analysed, such as `$lookup(steps, …)` or `$$`. */
  isOpen: boolean;
  /** Names at the start of a path that do not exist. */
  unknown: string[];
  /** `params` or `steps` where names belong to an item of a list: `items[id = params.id]`. */
  misplaced: RootName[];
  /** A construct that expressions may not use. */
  forbidden: string | null;
}

const none = (): References => ({
  roots: [],
  steps: [],
  params: [],
  isOpen: false,
  unknown: [],
  misplaced: [],
  forbidden: null,
});

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
const isRoot = (name: unknown): name is RootName => rootNames.some((root) => root === name);

/** `{{steps.again.output}}`, without a parser. */
export function referencesOfPath(path: PlainPath, text: string): References {
  const [root, first, member] = path;
  const found = { ...none(), roots: [root] };
  if (root === "params" && typeof first === "string") found.params = [first];
  if (root !== "steps") return found;
  if (typeof first !== "string") return { ...found, isOpen: true };
  const end = text.indexOf("steps.") + "steps.".length + first.length;
  return { ...found, steps: [{ name: first, member: typeof member === "string" ? member : null, end }] };
}

/** Within these members of a node, names belong to the value that the node applies to. */
const inside = new Set(["stages", "predicate", "group", "terms", "pattern", "update", "delete"]);

export function referencesOfTree(tree: unknown): References {
  const found = none();
  const seen = new Set<Node>();

  function walk(value: unknown, atRoot: boolean): void {
    if (!isNode(value) || seen.has(value)) return;
    seen.add(value);
    if (value.type === "path" && Array.isArray(value.steps)) {
      walkPath(value.steps as Node[], atRoot);
      walk(value.group, false);
      return;
    }
    note(value, atRoot);
    for (const [member, inner] of Object.entries(value)) walk(inner, atRoot && !inside.has(member));
  }

  /** A node outside of a path: what it refers to cannot be analysed further. */
  function note(node: Node, atRoot: boolean): void {
    if (node.type === "variable" && node.value === "eval") found.forbidden = "$eval";
    if (node.type === "variable" && (node.value === "$" || (node.value === "" && atRoot))) openAll();
    if (node.type === "variable" && isRoot(node.value)) reach(node.value, []);
    if (node.type === "parent" || (atRoot && (node.type === "wildcard" || node.type === "descendant"))) openAll();
  }

  function openAll(): void {
    found.isOpen = true;
    found.roots = [...rootNames];
  }

  function walkPath(steps: Node[], atRoot: boolean): void {
    const [first, ...rest] = steps;
    if (!first) return;
    const isWhole = first.type === "variable" && (first.value === "$" || (first.value === "" && atRoot));
    if (isWhole && rest[0]?.type === "name" && isRoot(rest[0].value)) reach(rest[0].value, rest.slice(1));
    else if (first.type === "variable" && isRoot(first.value)) reach(first.value, rest);
    else if (first.type === "name" && atRoot) begin(first, rest);
    else if (first.type === "name" && isRoot(first.value)) found.misplaced.push(first.value);
    else walk(first, atRoot);
    for (const step of steps) if (step !== first || first.type === "name") walkMembers(step);
  }

  function begin(first: Node, rest: Node[]): void {
    if (isRoot(first.value)) reach(first.value, rest);
    else found.unknown.push(String(first.value));
  }

  function walkMembers(step: Node): void {
    if (step.type !== "name") walk(step, false);
    else for (const member of inside) walk(step[member], false);
  }

  function reach(root: RootName, rest: Node[]): void {
    if (!found.roots.includes(root)) found.roots.push(root);
    const [first, second] = rest;
    const name = first?.type === "name" ? String(first.value) : null;
    if (root === "params" && name !== null) found.params.push(name);
    if (root !== "steps") return;
    if (name === null) found.isOpen = true;
    else {
      const member = second?.type === "name" ? String(second.value) : null;
      found.steps.push({ name, member, end: Number(first?.position) });
    }
  }

  walk(tree, true);
  return found;
}
