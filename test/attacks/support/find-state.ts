import { parseAst } from "vitest/node";
import { sourceFiles } from "./check-expressions.ts";

/** A part of the syntax tree, read without its types: the walk asks only for the few fields that it names. */
interface Node {
  type: string;
  [field: string]: unknown;
}

const collections = /^(?:Weak)?(?:Map|Set)$|Array$|^SharedArrayBuffer$|Cache$/;
/** Calls that make a collection, as `Object.create`. */
const made =
  /^(?:Array|Array\.(?:from|of)|Buffer\.alloc\w*|Object\.(?:create|fromEntries|groupBy)|Map\.groupBy|structuredClone)$/;
const changes = new Set([
  ...["set", "add", "delete", "clear", "push", "pop", "shift", "unshift", "splice", "fill"],
  ...["sort", "reverse", "copyWithin"],
]);
const functions = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
/** Functions that may hand out nothing, and whose insides are called later all the same: by a timer, a route, a socket. */
const keepers = /^(?:create|open|start|watch|follow|keep|serve)/;

/** Mutable state of our own source that outlives a call, as `file name`. The console runs in a browser, for one person. */
export function stateOfSource(): string[] {
  const ours = sourceFiles().filter(({ file }) => !file.startsWith("src/console/"));
  return ours.flatMap(({ file, text }) => stateIn(text).map((name) => `${file} ${name}`));
}

/**
 * Three kinds: every variable of a module that changes; every variable and collection that a function keeps for the functions
 * that it hands out, and that these change; every field of a class that holds a collection, or that changes after the constructor.
 * What only its own call sees is none, nor is a table that nobody changes.
 */
export function stateIn(text: string): string[] {
  const program = parseAst(text, { lang: "ts" }) as unknown as Node;
  const changed = changedIn(program);
  const found = variablesOf(program)
    .filter(({ name, kind, init }) => kind === "let" || isEmptyCollection(init) || changed.has(name))
    .map(({ name }) => name);
  walk(program, (node, name) => {
    if (node.type === "ClassDeclaration" || node.type === "ClassExpression")
      found.push(...fieldsOf(node).map((each) => `${nameOf(node.id) || name}.${each}`));
    if (functions.test(node.type)) found.push(...keptBy(node).map((each) => `${name}.${each}`));
  });
  return found;
}

function keptBy(maker: Node): string[] {
  const body = maker.body as Node;
  if (body.type !== "BlockStatement") return [];
  const inner = functionsIn(body);
  if (!keepers.test(nameOf(maker.id)) && !handsOut(body, inner)) return [];
  const seen = new Set(inner.flatMap((each) => [...namesIn(each)]));
  const changed = new Set(inner.flatMap((each) => [...changedIn(each)]));
  return variablesOf(body)
    .filter(({ name, kind, init }) => {
      if (kind === "let" && changed.has(name)) return true;
      return (isEmptyCollection(init) && seen.has(name)) || (isCollection(init) && changed.has(name));
    })
    .map(({ name }) => name);
}

/** Whether it returns a function, or an object (what else would see the variables of a call that is over?). */
function handsOut(body: Node, inner: Node[]): boolean {
  const named = inner.filter(({ id }) => id).map(({ id }) => nameOf(id));
  const arrows = variablesOf(body).filter(({ init }) => init && functions.test(init.type));
  const names = new Set([...named, ...arrows.map(({ name }) => name)]);
  const isFunction = (value: Node): boolean => functions.test(value.type) || names.has(nameOf(value));
  return returnsOf(body).some((value) => {
    if (value.type !== "ObjectExpression") return isFunction(value);
    return (value.properties as Node[]).some((each) => isFunction((each.value ?? each.argument) as Node));
  });
}

function returnsOf(node: Node): Node[] {
  if (node.type === "ReturnStatement") return node.argument ? [node.argument as Node] : [];
  return childrenOf(node).flatMap((child) => (functions.test(child.type) ? [] : returnsOf(child)));
}

function functionsIn(node: Node): Node[] {
  return childrenOf(node).flatMap((child) => (functions.test(child.type) ? [child] : functionsIn(child)));
}

/** Those that hold a collection from the beginning or the constructor, and those that a method assigns or changes. */
function fieldsOf(declaration: Node): string[] {
  const members = (declaration.body as Node).body as Node[];
  const makers = members.filter(({ kind }) => kind === "constructor");
  const methods = members.filter(({ type, kind }) => type === "MethodDefinition" && kind !== "constructor");
  const arrows = members.filter(({ type, value }) => type === "PropertyDefinition" && isFunction(value));
  const changed = new Set([...methods, ...arrows].flatMap((each) => [...ownFieldsIn(each).keys()]));
  const collecting = [
    ...members.filter(({ type }) => type === "PropertyDefinition").map(({ key, value }) => [nameOf(key), value]),
    ...makers.flatMap((maker) => [...ownFieldsIn(maker)]),
  ].filter(([, value]) => isCollection(value as Node | null));
  return [...new Set([...collecting.map(([name]) => name as string), ...changed])];
}

/** The fields of `this` that something in this part assigns, with what, or whose contents it changes. */
function ownFieldsIn(part: Node): Map<string, Node | null> {
  const found = new Map<string, Node | null>();
  walk(part, (node) => {
    const field = fieldIn(targetOf(node));
    if (field !== "") found.set(field, node.type === "AssignmentExpression" ? (node.right as Node) : null);
  });
  return found;
}

/** The name in `this.name`, `this.#name.more` and so on; an empty text for all else. */
function fieldIn(target: Node | null | undefined): string {
  if (!target) return "";
  const inside = (target.object ?? target.expression) as Node | undefined;
  return inside?.type === "ThisExpression" ? nameOf(target.property) : fieldIn(inside);
}

const isFunction = (value: unknown): boolean => functions.test((value as Node | null)?.type ?? "");

function variablesOf(block: Node): { name: string; kind: unknown; init: Node | null }[] {
  return (block.body as Node[])
    .map((each) => (each.type === "ExportNamedDeclaration" ? (each.declaration as Node | null) : each))
    .filter((each) => each?.type === "VariableDeclaration")
    .flatMap((each) => {
      const { kind, declarations } = each as Node;
      return (declarations as Node[]).flatMap(({ id, init }) =>
        namesOf(id as Node).map((name) => ({ name, kind, init: init as Node | null })),
      );
    });
}

function isCollection(value: Node | null): boolean {
  if (value?.type === "NewExpression") return collections.test(nameOf(value.callee));
  if (value?.type === "CallExpression") return made.test(calledIn(value));
  return value?.type === "ArrayExpression" || value?.type === "ObjectExpression";
}

/** One that begins empty is there to be filled, be it by a function that it is passed to; so is a collection of such. */
function isEmptyCollection(value: Node | null): boolean {
  if (!value || functions.test(value.type) || value.type === "ClassExpression") return false;
  if (isEmpty(value)) return true;
  return childrenOf(value).some(holdsEmpty);
}

/** An arrow without a body makes what the collection holds. What a longer function makes is another matter. */
function holdsEmpty(node: Node): boolean {
  if (node.type === "BlockStatement") return false;
  return (node.type === "NewExpression" && isEmpty(node)) || childrenOf(node).some(holdsEmpty);
}

/** `Object.create` of `Object.create(null)`. */
function calledIn({ callee }: Node): string {
  const { object, property } = callee as Node;
  return object ? `${nameOf(object)}.${nameOf(property)}` : nameOf(callee);
}

function isEmpty(value: Node): boolean {
  if (!isCollection(value)) return false;
  if (value.type === "CallExpression") return calledIn(value) === "Object.create";
  if (/Cache$/.test(nameOf(value.callee))) return true;
  const inside = (value.arguments ?? value.elements ?? value.properties) as Node[];
  return inside.length === 0 || /Array$|Buffer$/.test(nameOf(value.callee));
}

/** The variables that something in this part assigns, or whose contents it changes. */
function changedIn(part: Node): Set<string> {
  const names = new Set<string>();
  walk(part, (node) => {
    const target = targetOf(node);
    if (target && /Pattern$/.test(target.type)) for (const name of namesIn(target)) names.add(name);
    else if (target) names.add(rootOf(target));
  });
  return names;
}

function targetOf(node: Node): Node | null {
  if (node.type === "AssignmentExpression") return node.left as Node;
  if (node.type === "UpdateExpression") return node.argument as Node;
  if (node.type === "UnaryExpression" && node.operator === "delete") return node.argument as Node;
  if (node.type !== "CallExpression") return null;
  const { type, object, property } = node.callee as Node;
  return type === "MemberExpression" && changes.has(nameOf(property)) ? (object as Node) : null;
}

function rootOf(node: Node): string {
  const inside = (node.object ?? node.expression) as Node | undefined;
  return inside ? rootOf(inside) : nameOf(node);
}

function namesIn(part: Node): Set<string> {
  const names = new Set<string>();
  walk(part, (node) => names.add(nameOf(node)));
  return names;
}

/** One, or those that a pattern takes apart into. */
const namesOf = (id: Node): string[] => (id.type === "Identifier" ? [nameOf(id)] : [...namesIn(id)]).filter(Boolean);

function nameOf(node: unknown): string {
  const name = (node as Node | null)?.name;
  return typeof name === "string" ? name : "";
}

/** Visits everything below, and says how the nearest variable or function around it is called. */
function walk(node: Node, visit: (node: Node, name: string) => void, around = ""): void {
  const name = nameOf(node.id) || nameOf(node.key) || around;
  visit(node, name);
  for (const child of childrenOf(node)) walk(child, visit, name);
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((child): child is Node => child !== null && typeof child === "object" && "type" in child);
}
