import type { Context } from "../instance.ts";
import type { ApiRequest } from "./api-request.ts";
import type { Permission } from "./clients.ts";
import type { Reply } from "./envelope.ts";

export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** With `{name}` where a value stands. */
  path: string;
  /** Null: any token will do. */
  needs: Permission | null;
  run(context: Context, request: ApiRequest): Reply;
  /** Not in the vendor's documentation: served only while `undocumented_paths` is on. */
  undocumented?: true;
}

export interface FoundPath {
  verbs: Map<string, Route>;
  values: Record<string, string>;
}

interface Pattern {
  expression: RegExp;
  verbs: Map<string, Route>;
}

const noValues: Record<string, string> = {};

/** Compiled once: fixed paths are looked up, paths with values are tried in order. */
export function compileRoutes(routes: Route[]): (path: string) => FoundPath | null {
  const fixed = new Map<string, Map<string, Route>>();
  const patterns = new Map<string, Pattern>();
  for (const route of routes) {
    const verbs = fixed.get(route.path) ?? patterns.get(route.path)?.verbs ?? new Map<string, Route>();
    verbs.set(route.method, route);
    if (route.path.includes("{")) patterns.set(route.path, { expression: expressionOf(route.path), verbs });
    else fixed.set(route.path, verbs);
  }
  const ordered = [...patterns.values()];
  return (path) => {
    const verbs = fixed.get(path);
    if (verbs) return { verbs, values: noValues };
    for (const pattern of ordered) {
      const match = pattern.expression.exec(path);
      if (!match) continue;
      const values = match.groups ?? noValues;
      return { verbs: pattern.verbs, values: path.includes("%") ? decoded(values) : values };
    }
    return null;
  };
}

const expressionOf = (path: string) =>
  new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);

function decoded(values: Record<string, string>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    try {
      result[name] = decodeURIComponent(value);
    } catch {
      result[name] = value;
    }
  }
  return result;
}
