import { expect, test } from "vitest";
import { gitSourceOf } from "./deployment-source.ts";

test.each([
  [
    { type: "github", repoId: 5, org: "a", repo: "b" },
    { type: "github", repoId: 5, ref: "dev" },
  ],
  [
    { type: "github", org: "a", repo: "b" },
    { type: "github", org: "a", repo: "b", ref: "dev" },
  ],
  [
    { type: "github-limited", repoId: 5 },
    { type: "github", repoId: 5, ref: "dev" },
  ],
  [
    { type: "gitlab", projectId: "7" },
    { type: "gitlab", projectId: "7", ref: "dev" },
  ],
  [
    { type: "bitbucket", uuid: "u", workspaceUuid: "w" },
    { type: "bitbucket", repoUuid: "u", workspaceUuid: "w", ref: "dev" },
  ],
  [
    { type: "bitbucket", owner: "a", slug: "b" },
    { type: "bitbucket", owner: "a", slug: "b", ref: "dev" },
  ],
])("the source of a project linked as %j", (link, source) => {
  const project = { status: 200, headers: {}, body: { name: "web", link }, bytes: 0 };
  expect(gitSourceOf(project, "dev", undefined)).toEqual(source);
});
