import { Problem } from "../kernel/problem.ts";

/** The methods of each path, for requests that no route takes. */
export interface AllowedMethods {
  allow(route: string, methods: string[]): void;
  /** 405 with what is allowed there, or 404. */
  refusalOf(url: string): Problem;
  /** The route that the path belongs to, for the log. */
  routeAt(url: string): string | undefined;
}

/**
 * A route for each wrong method of each path would be thousands: they cost more memory and a slower start than all that is
 * served. So the paths are looked through when nothing else fits, and a method that the framework does not know is found as well.
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
