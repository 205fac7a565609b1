import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { seriousFindings } from "../support/browser/axe.ts";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { openPage, startPages, typeSignIn } from "../support/browser/pages.ts";
import { commandLine } from "../support/processes/command-line.ts";
import { givePassword, goodPassword } from "../support/sign-in/sign-in.ts";
import { cleanUpLater, temporaryFolder } from "../support/stores.ts";

/** Waits at a port of this machine for the code, as assistants do. */
async function listenForCode(): Promise<{ url: string; answer: Promise<URLSearchParams> }> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    if (url.pathname === "/callback") resolve(url.searchParams);
    response.end("Back at the assistant.");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  cleanUpLater(async () => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, answer: promise };
}

/** The store of a client program, in memory. */
function providerFor(redirectUrl: string) {
  const kept = new Map<string, unknown>();
  const keep = (name: string) => (value: unknown) => void kept.set(name, value);
  return {
    opened: () => String(kept.get("opened")),
    provider: {
      redirectUrl,
      clientMetadata: { client_name: "Helper", redirect_uris: [redirectUrl] },
      clientInformation: () => kept.get("client") as never,
      saveClientInformation: keep("client"),
      tokens: () => kept.get("tokens") as never,
      saveTokens: keep("tokens"),
      redirectToAuthorization: keep("opened"),
      saveCodeVerifier: keep("verifier"),
      codeVerifier: () => String(kept.get("verifier")),
      discoveryState: () => kept.get("discovery") as never,
      saveDiscoveryState: keep("discovery"),
    },
  };
}

/** A team whose second project has a tool, and an assistant that has asked to be allowed. */
async function startAsked() {
  const team = await startPages();
  await givePassword(team, team.owner);
  const second = { name: "Second", description: "Another project", organization_id: team.owner.organizationId };
  const { body: made } = await team.call("projects/create", second, { as: team.owner });
  const inProject = { as: team.owner, project: made.project_id };
  const steps = [{ name: "rest", step: "wait", input: { seconds: 1 } }];
  const { body: tool } = await team.call("tools/create", { title: "Take a rest", steps }, inProject);
  await team.call(`tools/${tool.tool_id}/publish`, {}, inProject);
  const callback = await listenForCode();
  const { provider, opened } = providerFor(callback.url);
  const address = new URL(`http://127.0.0.1:${team.port}/mcp`);
  const client = new Client({ name: "helper", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const transport = new StreamableHTTPClientTransport(address, { authProvider: provider });
  await expect(client.connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  const page = await openPage(await openBrowser(), opened());
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await typeSignIn(page, team.owner.email, goodPassword);
  await page.getByText("Helper", { exact: true }).waitFor();
  return {
    ...{ team, page },
    /** The names of the tools that the assistant has, once the page has sent the person back to it. */
    async allowedTools(): Promise<string[]> {
      await page.getByText("Back at the assistant.").waitFor();
      await transport.finishAuth(await callback.answer);
      const connected = new Client({ name: "helper", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await connected.connect(new StreamableHTTPClientTransport(address, { authProvider: provider }));
      cleanUpLater(() => connected.close());
      return (await connected.listTools()).tools.map(({ name }) => name);
    },
  };
}

describeInBrowser("a person who connects an assistant", () => {
  test('"an assistant signs a person in and they choose project, tools and read-only at the consent page"', async () => {
    const { team, page, allowedTools } = await startAsked();
    await page.getByText(team.owner.email).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByText("Only some tools").click();
    expect(await page.getByLabel("Take a rest").count()).toBe(0);
    await page.getByLabel("Project").selectOption({ label: "Second" });
    await page.getByLabel("List Deployments").check();
    await page.getByLabel("Take a rest").check();
    // It writes, and "Only read" is chosen.
    expect(await page.getByLabel("Only read").isChecked()).toBe(true);
    await page.getByLabel("Create Deployment").check();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    expect(await allowedTools()).toEqual(["list_deployments", "take_a_rest"]);
  });

  test("a choice of tools is not lost while those of another project are read", async () => {
    const { page, allowedTools } = await startAsked();
    await page.getByText("Only some tools").click();
    await page.getByLabel("Project").selectOption({ label: "Second" });
    await page.getByLabel("Take a rest").check();
    await page.getByLabel("List Deployments").check();
    const held = Promise.withResolvers<void>();
    await page.route("**/steps/list", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel("Project").selectOption({ index: 0 });
    const allow = page.getByRole("button", { name: "Allow", exact: true });
    await allow.click();
    expect(await page.getByLabel("List Deployments").count()).toBe(0);
    held.resolve();
    await page.getByText("Not in this project: Take a rest.").waitFor();
    expect(await page.getByLabel("List Deployments").isChecked()).toBe(true);
    await allow.click();
    expect(await allowedTools()).toEqual(["list_deployments"]);
  });

  test("without the list of tools, none that were chosen before become all", async () => {
    const { page, allowedTools } = await startAsked();
    await page.getByText("Only some tools").click();
    await page.getByLabel("List Deployments").check();
    await page.route("**/steps/list", (route) => route.abort());
    await page.getByLabel("Project").selectOption({ label: "Second" });
    await page.getByText("It may use what you have chosen: List Deployments.").waitFor();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    expect(await allowedTools()).toEqual(["list_deployments"]);
  });
});

describeInBrowser("a person who logs in on the command line", () => {
  test("compares the code, chooses what it may do, and the command line gets a key that nobody else sees", async () => {
    const team = await startPages();
    await givePassword(team, team.owner);
    const folder = temporaryFolder();
    const asked = Promise.withResolvers<string>();
    const login = commandLine(
      ["login", "--base-url", `http://127.0.0.1:${team.port}`, "--no-browser", "--json"],
      { XDG_CONFIG_HOME: folder },
      { onError: (text) => text.endsWith("\n\n") && asked.resolve(text) },
    );
    const said = await asked.promise;
    const [[address], [, code = ""]] = [/http\S+/.exec(said) ?? [], /the code (\S{9})/.exec(said) ?? []];
    const page = await openPage(await openBrowser(), address ?? "");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.getByText(code, { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("Only read, in this project only").check();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("You are logged in.").waitFor();
    const done = await login;
    expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { project_id: team.projectId }]);
    const { api_key: key } = JSON.parse(readFileSync(join(folder, "signalbox", "profiles.json"), "utf8")).profiles
      .default.regions.us;
    expect(done.stdout + done.stderr + page.url()).not.toContain(key);
    const who = await commandLine(["whoami", "--json"], { XDG_CONFIG_HOME: folder });
    expect(JSON.parse(who.stdout).key).toMatchObject({ project_ids: [team.projectId], max_role: "viewer" });
  });
});
