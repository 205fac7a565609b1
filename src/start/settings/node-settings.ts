import { setting } from "./define-setting.ts";
import { oneOf, readProcesses, wholeNumber } from "./read-setting-values.ts";

/** What a node does, and how much of its machine and of its database it uses. */
export const nodeSettings = {
  role: setting({
    name: "SIGNALBOX_ROLE",
    flag: "--role",
    defaultText: "all",
    means:
      "`all`: serves calls and works on runs. `api`: serves calls; runs go to the queue for other nodes. `worker`: works on runs, schedules and webhooks, and serves only `/healthz`, `/readyz` and `/metrics`. `api` and `worker` need PostgreSQL in every region of the process.",
    read: oneOf("all", "api", "worker"),
  }),
  sharedFolder: setting({
    name: "SIGNALBOX_SHARED_FOLDER",
    defaultText: "off",
    means:
      "`on`: several servers may use one data folder with SQLite, if each says so. `off`: a server that finds another one in its folder says so and exits.",
    read: oneOf("on", "off"),
  }),
  processes: setting({
    name: "SIGNALBOX_PROCESSES",
    flag: "--processes",
    defaultText: "1",
    means:
      "How many processes serve together on this machine, at one address: a number, or `auto` for one on each core. More than one needs PostgreSQL in every region; on SQLite `auto` is one. See docs/scale.md.",
    read: readProcesses,
  }),
  databaseConnections: setting({
    name: "SIGNALBOX_DATABASE_CONNECTIONS",
    defaultText: "10",
    means:
      "How many connections to PostgreSQL each process opens for each region at most, and one more to hear notifications. The database server must allow those of all processes of all nodes (`max_connections`).",
    read: wholeNumber(2, 1000),
  }),
};
