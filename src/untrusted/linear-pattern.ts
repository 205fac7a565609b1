import { RE2JS } from "re2js";

/**
 * A regular expression that always matches in linear time. It supports neither lookaround nor backreferences: a pattern
 * with them throws.
 */
class LinearPattern extends RegExp {
  readonly #linear: RE2JS;

  constructor(pattern: string | RegExp, flags?: string) {
    super(pattern, flags);
    this.#linear = RE2JS.compile(RE2JS.translateRegExp(this.source));
  }

  override test(text: string): boolean {
    return this.#linear.matcher(text).find();
  }
}

export function isLinearPattern(pattern: string): boolean {
  try {
    new LinearPattern(pattern);
    return true;
  } catch {
    // A pattern that needs backtracking throws; that is the answer.
    return false;
  }
}

/**
 * Every regular expression that `make` creates is a linear one. The library that compiles JSON Schemas creates its own
 * internally, so the built-in class is replaced during that call.
 */
export function withLinearPatterns<T>(make: () => T): T {
  const builtIn = globalThis.RegExp;
  globalThis.RegExp = LinearPattern as unknown as RegExpConstructor;
  try {
    return make();
  } finally {
    globalThis.RegExp = builtIn;
  }
}
