import { describe, expect, test } from "vitest";
import { marketingCredentials } from "./credentials.ts";
import { ownAddress, restOrigin } from "./own-address.ts";

// "Munchkin ids, `rest_endpoint` and `identity_endpoint` in any usual form are understood."
describe("the address of an instance", () => {
  test.each([
    ["https://123-ABC-456.mktorest.com/rest", "https://123-abc-456.mktorest.com"],
    ["https://123-abc-456.mktorest.com/", "https://123-abc-456.mktorest.com"],
    ["https://123-abc-456.mktorest.com//rest", "https://123-abc-456.mktorest.com"],
    ["https://123-abc-456.mktorest.com/rest/v1/leads.json", "https://123-abc-456.mktorest.com"],
    ["https://123-abc-456.mktorest.com/identity/oauth/token", "https://123-abc-456.mktorest.com"],
    ["http://123-abc-456.mktorest.com/rest", "https://123-abc-456.mktorest.com"],
    ["123-ABC-456", "https://123-abc-456.mktorest.com"],
    [" 123-ABC-456.mktorest.com/rest ", "https://123-abc-456.mktorest.com"],
    ["https://123-ABC-456.mktoapi.com/soap/mktows/2_9", "https://123-abc-456.mktorest.com"],
    ["http://127.0.0.1:4111/rest/", "http://127.0.0.1:4111"],
    ["http://127.0.0.1:4111/identity", "http://127.0.0.1:4111"],
  ])("%s is %s", (text, origin) => expect(restOrigin(text)).toBe(origin));

  test.each([
    "https://a.mktorest.com/rest?x=1",
    "https://me:secret@a.mktorest.com/rest",
    "https://a.mktorest.com/rset",
    "123-ABC-45",
    "",
  ])("%s is none", (text) => expect(() => restOrigin(text)).toThrow(/not the address of a REST endpoint/));

  test("the address of the system's pages is recognized as not its API", () => {
    expect(() => restOrigin("https://app-ab12.marketo.com/homepage#/x")).toThrow(/pages, not of its REST API/);
    expect(() => ownAddress.liveOrigin("https://123-abc-456.mktorest.co/rest")).toThrow(
      /not an address of this system/,
    );
  });

  test("may be given by any of its three names, and only as one instance", () => {
    const service = { client_id: "id", client_secret: "hush" };
    const read = (more: object) => marketingCredentials.read({ ...service, ...more });
    expect(read({ munchkin_id: "123-ABC-456" }).address).toBe("123-ABC-456");
    expect(read({ identity_endpoint: "https://123-ABC-456.mktorest.com/identity" }).address).toContain("/identity");
    expect(
      read({ rest_endpoint: "https://123-ABC-456.mktorest.com/rest", munchkin_id: "123-abc-456" }).address,
    ).toContain("/rest");
    expect(() => read({ rest_endpoint: "123-ABC-456", munchkin_id: "999-ABC-456" })).toThrow(/another instance/);
  });
});
