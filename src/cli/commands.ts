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

/** Every command, in the order of `signalbox --help`. A new command needs an entry here, and a file that makes it. */
export const sections: Section[] = [
  {
    title: "Server",
    commands: [
      {
        name: "serve",
        summary: "Serve the regions until stopped",
        load: async () => (await import("./serve.ts")).serveCommand(),
      },
      {
        name: "sandbox",
        summary: "Serve the sandboxes alone, until stopped",
        load: async () => (await import("./sandbox.ts")).sandboxCommand(),
      },
      {
        name: "build",
        summary: "Build the console, if its sources have changed",
        load: async () => (await import("./build.ts")).buildCommand(),
      },
      {
        name: "doctor",
        summary: "Check settings, keys, stores and ports, and say how to fix what is wrong",
        load: async () => (await import("./doctor.ts")).doctorCommand(),
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
        name: "rotate-key",
        summary: "Replace the master key, or the data keys",
        load: async () => (await import("./rotate-key.ts")).rotateKeyCommand(),
      },
      {
        name: "domains",
        summary: "Verify the domain of an organization without DNS",
        load: async () => (await import("./domains.ts")).domainsCommand(),
      },
    ],
  },
  {
    title: "Work",
    commands: [
      {
        name: "users",
        summary: "Create, deactivate and reactivate accounts",
        load: async () => (await import("./users.ts")).usersCommand(),
      },
      {
        name: "keys",
        summary: "Create, list and revoke API keys",
        load: async () => (await import("./keys.ts")).keysCommand(),
      },
      {
        name: "connections",
        summary: "Connect accounts, check them and remove them",
        load: async () => (await import("./connections.ts")).connectionsCommand(),
      },
      {
        name: "steps",
        summary: "Find steps and run them",
        load: async () => (await import("./steps.ts")).stepsCommand(),
      },
      {
        name: "tools",
        summary: "Write, publish and run tools",
        load: async () => (await import("./tools.ts")).toolsCommand(),
      },
      {
        name: "runs",
        summary: "List runs, read them and settle them",
        load: async () => (await import("./runs.ts")).runsCommand(),
      },
      {
        name: "audit",
        summary: "Verify the audit log",
        load: async () => (await import("./audit.ts")).auditCommand(),
      },
    ],
  },
];

export const findCommand = (name: string): CommandEntry | undefined =>
  sections.flatMap(({ commands }) => commands).find((command) => command.name === name);
