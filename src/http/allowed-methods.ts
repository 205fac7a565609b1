import { Problem } from "../kernel/problem.ts";

/** The methods of each path, for requests that no route serves. */
export interface AllowedMethods {
  allow(route: string, methods: string[]): void;
  /** 405 with the allowed methods, or 404. */
  refusalOf(url: string): Problem;
  /** The route that the path belongs to, for the log. */
  routeAt(url: string): string | undefined;
}

/**
 * A route for each wrong method of each path would be thousands, which cost memory and a slower start. So the paths are
 * searched when no route matches. This also covers methods that the framework does not know.
 */
export function createAllowedMethods(): AllowedMethods {
  const known: { route: string; shape: RegExp; methods: string[] }[] = [];
  const find = (url: string) => {
    // The target * means the server itself, as its first page does.
    const path = url === "*" ? "/" : (url.split("?", 1)[0] ?? "");
    return known.find(({ shape }) => shape.test(path));
  };
  return {
    allow: (route, methods) => void known.push({ route, shape: shapeOf(route), methods }),
    refusalOf(url) {
      const found = find(url);
      if (!found) return new Problem("route_not_found");
      return new Problem("method_not_allowed", undefined, { headers: { allow: found.methods.join(", ") } });
    },
    routeAt: (url) => find(url)?.route,
  };
}

const shapeOf = (route: string): RegExp =>
  new RegExp(`^${route.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "[^/]+")}$`);
