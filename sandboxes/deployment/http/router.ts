import { badRequest } from "./api-error.ts";

interface Node<R> {
  fixed: Map<string, Node<R>>;
  parameter: Node<R> | null;
  routes: Map<string, R>;
  methods: string;
}

export interface Found<R> {
  /** Null where the path exists and the verb does not. */
  route: R | null;
  methods: string;
  /** The number after the v in the path; 0 where there is none. */
  version: number;
  params: string[];
}

export interface Router<R> {
  find(method: string, path: string): Found<R> | null;
}

/**
 * Versions are per endpoint and old ones stay served, so a path is matched with its version (and the command line's
 * `now`) taken off: /v6/deployments, /v7/deployments and /now/deployments are one endpoint.
 */
export function createRouter<R extends { method: string; path: string }>(routes: readonly R[]): Router<R> {
  const root = emptyNode<R>();
  for (const route of routes) {
    const node = route.path.split("/").slice(1).reduce(childFor, root);
    node.routes.set(route.method, route);
    node.methods = [...node.routes.keys()].join(", ");
  }
  return {
    find(method, path) {
      const segments = path.split("/");
      let index = 1;
      const version = versionOf(segments[index] ?? "");
      if (version >= 0) index++;
      if (segments[index] === "now") index++;
      const params: string[] = [];
      let node = root;
      for (; index < segments.length; index++) {
        const segment = segments[index] ?? "";
        const fixed = node.fixed.get(segment);
        if (fixed) {
          node = fixed;
        } else if (node.parameter && segment !== "") {
          params.push(decoded(segment));
          node = node.parameter;
        } else {
          return null;
        }
      }
      if (node.routes.size === 0) return null;
      return { route: node.routes.get(method) ?? null, methods: node.methods, version: Math.max(version, 0), params };
    },
  };
}

function childFor<R>(node: Node<R>, segment: string): Node<R> {
  if (segment.startsWith("{")) {
    node.parameter ??= emptyNode<R>();
    return node.parameter;
  }
  const child = node.fixed.get(segment) ?? emptyNode<R>();
  node.fixed.set(segment, child);
  return child;
}

const emptyNode = <R>(): Node<R> => ({ fixed: new Map(), parameter: null, routes: new Map(), methods: "" });

/** "v13" is 13; anything else is -1. */
function versionOf(segment: string): number {
  if (segment.charCodeAt(0) !== 118 || segment.length < 2 || segment.length > 3) return -1;
  const version = Number(segment.slice(1));
  return Number.isInteger(version) ? version : -1;
}

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest("Invalid request: the path is not properly encoded.");
  }
}
