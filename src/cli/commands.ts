import type { Command } from "commander";

/** One command. Its module is loaded when it is called, so that `--help` and the other commands start quickly. */
export interface CommandEntry {
  name: string;
  summary: string;
  load(): Promise<Command>;
}

interface Section {
  title: string;
  commands: CommandEntry[];
}

/** A group of operations that has nothing written by hand. */
const generated = async (name: string): Promise<Command> =>
  (await import("./calling/generated-commands.ts")).groupCommand(name, summaryOf(name));

/** Every command, in the order of `signalbox --help`. A new command needs an entry here, and a file that makes it. */
export const sections: Section[] = [
  {
    title: "Log in",
    commands: [
      {
        name: "login",
        summary: "Log in once, with the browser or a key",
        load: async () => (await import("./login/login.ts")).loginCommand(),
      },
      {
        name: "whoami",
        summary: "Show the account, project and server that commands use",
        load: async () => (await import("./login/login.ts")).whoamiCommand(),
      },
      {
        name: "logout",
        summary: "Forget the login",
        load: async () => (await import("./login/login.ts")).logoutCommand(),
      },
      {
        name: "completion",
        summary: "Complete commands, options and ids in bash, zsh or fish",
        load: async () => (await import("./completion/completion.ts")).completionCommand(),
      },
    ],
  },
  {
    title: "Work",
    commands: [
      {
        name: "steps",
        summary: "Find steps and run them",
        load: async () => (await import("./steps.ts")).stepsCommand(),
      },
      {
        name: "tools",
        summary: "Write, publish and run tools; keep them in files",
        load: async () => (await import("./tools.ts")).toolsCommand(),
      },
      {
        name: "runs",
        summary: "List runs, follow them, approve and settle them",
        load: async () => (await import("./runs.ts")).runsCommand(),
      },
      {
        name: "schedules",
        summary: "Start tools at set times",
        load: () => generated("schedules"),
      },
      {
        name: "agents",
        summary: "Create agents, talk to them, and send them events",
        load: () => generated("agents"),
      },
      {
        name: "events",
        summary: "The events that agents received",
        load: () => generated("events"),
      },
      {
        name: "connections",
        summary: "Connect accounts, check them and remove them",
        load: async () => (await import("./connections.ts")).connectionsCommand(),
      },
      {
        name: "systems",
        summary: "The systems that accounts can be connected at",
        load: () => generated("systems"),
      },
      {
        name: "limits",
        summary: "The limits of the external systems",
        load: () => generated("limits"),
      },
      {
        name: "webhooks",
        summary: "Send events to an address of yours",
        load: () => generated("webhooks"),
      },
    ],
  },
  {
    title: "People and access",
    commands: [
      {
        name: "projects",
        summary: "Create, list and change projects",
        load: () => generated("projects"),
      },
      {
        name: "invites",
        summary: "Invite people to a project",
        load: () => generated("invites"),
      },
      {
        name: "users",
        summary: "The people of a project; operators: accounts",
        load: async () => (await import("./users.ts")).usersCommand(),
      },
      {
        name: "keys",
        summary: "Create, list and revoke API keys",
        load: async () => (await import("./keys.ts")).keysCommand(),
      },
      {
        name: "service-users",
        summary: "Accounts for programs",
        load: () => generated("service-users"),
      },
      {
        name: "sessions",
        summary: "Where you are signed in",
        load: () => generated("sessions"),
      },
      {
        name: "organizations",
        summary: "The organization and its people",
        load: () => generated("organizations"),
      },
      {
        name: "domains",
        summary: "The domains of the organization",
        load: async () => (await import("./domains.ts")).domainsCommand(),
      },
      {
        name: "single-sign-on",
        summary: "Identity providers of the organization",
        load: () => generated("single-sign-on"),
      },
      {
        name: "directory",
        summary: "Directories of people and groups (SCIM)",
        load: () => generated("directory"),
      },
      {
        name: "audit",
        summary: "List, export and verify the audit log",
        load: async () => (await import("./audit.ts")).auditCommand(),
      },
    ],
  },
  {
    title: "Server, for operators",
    commands: [
      {
        name: "serve",
        summary: "Serve the regions until stopped",
        load: async () => (await import("./serve/serve.ts")).serveCommand(),
      },
      {
        name: "doctor",
        summary: "Check the installation, and say how to fix what is wrong",
        load: async () => (await import("./doctor/doctor.ts")).doctorCommand(),
      },
      {
        name: "migrate",
        summary: "Bring the schema of every region up to date",
        load: async () => (await import("./migrate.ts")).migrateCommand(),
      },
      {
        name: "backup",
        summary: "Copy a region's store into a file",
        load: async () => (await import("./backup.ts")).backupCommand(),
      },
      {
        name: "restore",
        summary: "Replace a region's store with a backup",
        load: async () => (await import("./restore.ts")).restoreCommand(),
      },
      {
        name: "archive",
        summary: "List and verify the archives of deleted records",
        load: async () => (await import("./archive.ts")).archiveCommand(),
      },
      {
        name: "partition",
        summary: "Partition the growing tables of a PostgreSQL region by month",
        load: async () => (await import("./partition.ts")).partitionCommand(),
      },
      {
        name: "rotate-key",
        summary: "Replace the master key, or the data keys",
        load: async () => (await import("./rotate-key.ts")).rotateKeyCommand(),
      },
      {
        name: "confirm-clock",
        summary: "Say that the clock is right after a jump forward",
        load: async () => (await import("./confirm-clock.ts")).confirmClockCommand(),
      },
      {
        name: "build",
        summary: "Build the console, if its sources have changed",
        load: async () => (await import("./build.ts")).buildCommand(),
      },
      {
        name: "sandbox",
        summary: "Serve the sandboxes alone, until stopped",
        load: async () => (await import("./sandbox.ts")).sandboxCommand(),
      },
      {
        name: "sandboxes",
        summary: "Control the sandboxes of a server",
        load: () => generated("sandboxes"),
      },
    ],
  },
];

const all = sections.flatMap(({ commands }) => commands);

const summaryOf = (name: string): string => all.find((command) => command.name === name)?.summary ?? "";

export const findCommand = (name: string): CommandEntry | undefined => all.find((command) => command.name === name);
