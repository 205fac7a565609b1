import type { SandboxAnswer } from "../../server/sandbox.ts";
import { notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param, type Route } from "../http/api-request.ts";
import type { Deployment, SourceFile } from "../records.ts";
import { requireDeployment } from "./find-deployment.ts";

interface Entry {
  name: string;
  type: "file" | "directory";
  mode: number;
  uid?: string;
  contentType?: string;
  children?: Entry[];
}

/** The tree of the source. A deployment from a repository has one that is made up, like its commits. */
function listFiles(request: ApiRequest): SandboxAnswer {
  const deployment = requireDeployment(request, param(request, 0));
  const root: Entry = { name: "src", type: "directory", mode: 0o40755, children: [] };
  for (const { path, sha } of filesOf(deployment)) {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    let folder = root;
    for (const part of parts) folder = childOf(folder, part);
    const contentType = name.endsWith(".html") ? "text/html" : "application/octet-stream";
    folder.children?.push({ name, type: "file", mode: 0o100644, uid: sha, contentType });
  }
  return ok([root]);
}

function childOf(folder: Entry, name: string): Entry {
  const found = folder.children?.find((each) => each.name === name && each.type === "directory");
  if (found) return found;
  const made: Entry = { name, type: "directory", mode: 0o40755, children: [] };
  folder.children?.push(made);
  return made;
}

function readFile(request: ApiRequest): SandboxAnswer {
  const deployment = requireDeployment(request, param(request, 0));
  const wanted = param(request, 1);
  const file = filesOf(deployment).find(({ path, sha }) => sha === wanted || path === wanted);
  if (!file) throw notFound("File");
  return ok({ data: file.data.toString("base64") });
}

const invented: readonly SourceFile[] = [
  { path: "package.json", sha: "0".repeat(39).concat("1"), data: Buffer.from('{"name":"web","version":"1.0.0"}\n') },
  { path: "src/index.js", sha: "0".repeat(39).concat("2"), data: Buffer.from('console.log("hello");\n') },
];

const filesOf = ({ files }: Deployment): readonly SourceFile[] => (files.length > 0 ? files : invented);

const read = { resource: "deployment", action: "read", bucket: "deployments_read_per_minute", method: "GET" } as const;

export const fileRoutes: Route[] = [
  { ...read, path: "/deployments/{id}/files", handle: listFiles },
  { ...read, path: "/deployments/{id}/files/{fileId}", handle: readFile },
];
