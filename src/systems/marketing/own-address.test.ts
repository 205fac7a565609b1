import { describe, expect, test } from "vitest";
import { restOrigin } from "./own-address.ts";

describe("a REST endpoint is reduced to its origin", () => {
  test.each([
    ["https://123-ABC-456.mktorest.com/rest", "https://123-abc-456.mktorest.com"],
    ["https://123-abc-456.mktorest.com/", "https://123-abc-456.mktorest.com"],
    ["http://127.0.0.1:4111/rest/", "http://127.0.0.1:4111"],
  ])("%s is %s", (text, origin) => expect(restOrigin(text)).toBe(origin));

  test.each(["123-abc-456.mktorest.com", "https://a.mktorest.com/rest/v1", "https://a.mktorest.com/rest?x=1", ""])(
    "%s is none",
    (text) => expect(() => restOrigin(text)).toThrow(),
  );
});
