import { Buffer } from "node:buffer";
import * as z from "zod";
import { commitField, environmentField, projectField } from "./fields.ts";

// A call may have 4 MiB, and quotes and paths take some of it.
const filesBytesMax = 3.5 * 1024 * 1024;

const File = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .max(1024)
      .refine(
        (path) => !/^\/|\\|(^|\/)\.\.?(\/|$)|\/\//.test(path),
        "Write a path inside the project, such as `public/index.html`.",
      )
      .meta({ title: "File", description: "Its path in the project" }),
    data: z.string().meta({ title: "Content", description: "The file's text, or its bytes as base64" }),
    encoding: z
      .enum(["utf-8", "base64"])
      .default("utf-8")
      .meta({ title: "Encoding", description: "How `data` is written" }),
  })
  .refine(({ data, encoding }) => encoding === "utf-8" || isBase64(data), {
    path: ["data"],
    message: "This is not base64.",
  });

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/\r\n]*={0,2}$/.test(text.trimEnd());

const settingNames = [
  "framework",
  "nodeVersion",
  "buildCommand",
  "devCommand",
  "installCommand",
  "outputDirectory",
  "rootDirectory",
  "commandForIgnoringBuildStep",
  "serverlessFunctionRegion",
  "skipGitConnectDuringLink",
  "sourceFilesOutsideRootDirectory",
];
const toCamel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const Settings = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .superRefine((settings, context) => {
    for (const name of Object.keys(settings)) {
      if (settingNames.includes(toCamel(name))) continue;
      const message = `The platform has no such setting. It takes ${settingNames.join(", ")}.`;
      context.addIssue({ code: "custom", path: [name], message });
    }
  })
  // Either spelling of each.
  .meta({ maxProperties: 2 * settingNames.length });

/** Accepts both spellings of a name: ours and the platform's. */
export const projectSettingsOf = (settings: z.output<typeof Settings> | undefined): object | null =>
  settings ? Object.fromEntries(Object.entries(settings).map(([name, value]) => [toCamel(name), value])) : null;

const metadataMax = 1000;

const Metadata = z
  .record(z.string().min(1).max(255), z.string().max(65_536))
  .refine((metadata) => Object.keys(metadata).length <= metadataMax, `At most ${metadataMax} names.`)
  .superRefine((metadata, context) => {
    if (!("signalboxIntent" in metadata)) return;
    const message = "This name is reserved: Signalbox uses it to find the deployment again when a response is lost.";
    context.addIssue({ code: "custom", path: ["signalboxIntent"], message });
  })
  .meta({ maxProperties: metadataMax });

export const CreateInput = z
  .strictObject({
    project: projectField,
    environment: environmentField.optional().meta({
      title: "Environment",
      description:
        "`production` goes live, `preview` gets an address of its own. Default: `preview`; a redeployment keeps its own.",
    }),
    branch: z.string().trim().min(1).max(255).optional().meta({
      title: "Branch",
      description: "Branch of the linked repository; default: the production branch",
    }),
    commit_sha: commitField
      .optional()
      .meta({ title: "Commit", description: "A commit of that branch; default: the newest one" }),
    redeploy_of: z.string().trim().min(1).max(200).optional().meta({
      title: "Redeploy",
      description: "Id of an earlier deployment: the same source with the settings of today",
    }),
    files: z.array(File).min(1).max(1000).optional().meta({
      title: "Files",
      description: "Files to deploy instead of a repository, 3.5 MB in all as they are sent",
    }),
    settings: Settings.optional().meta({
      title: "Settings",
      description:
        "For this deployment only: framework, build_command, install_command, output_directory, root_directory, node_version",
    }),
    metadata: Metadata.optional().meta({
      title: "Metadata",
      description: "Names and texts kept with the deployment; lists can be filtered by them",
    }),
    wait_until_ready: z.boolean().default(false).meta({
      title: "Wait until it is ready",
      description: "Returns once it is READY and served; a failed build returns the last lines of its log",
    }),
  })
  .superRefine((input, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    const hasGit = input.branch !== undefined || input.commit_sha !== undefined;
    if (input.redeploy_of !== undefined && (hasGit || input.files)) {
      refuse("redeploy_of", "A redeployment has its source already: leave branch, commit_sha and files out.");
    }
    if (input.files && hasGit) refuse("files", "Deploy either files or a branch: leave the other out.");
    const bytes = (input.files ?? []).reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    if (bytes > filesBytesMax) refuse("files", "These are more than 3.5 MB: deploy from a repository instead.");
  });

export type DeploymentWish = z.output<typeof CreateInput>;
