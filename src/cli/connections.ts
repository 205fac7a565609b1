import { type Command, Option } from "commander";
import { hasLogin } from "./calling/caller.ts";
import { groupCommand, type StoreOptions } from "./calling/generated-commands.ts";
import { connectCommand } from "./connect.ts";

// Loaded on demand: commands that call a server start faster without the store.
const load = () => import("./operator/connections.ts");

const onStore = "for operators, on this machine's store: ";

/** Through the server; with --store, or a folder, or a region and no login, on this machine's store. */
export const connectionsCommand = (): Command =>
  groupCommand(
    "connections",
    "Connect accounts, check them and remove them",
    [connectCommand(async (options) => (await load()).connect(options))],
    {
      list: { options: [], isMeant: isOnStore, run: async (options) => (await load()).list(options) },
      check: { options: [connectionOption], isMeant: isNamed, run: async (options) => (await load()).check(options) },
      remove: {
        options: [
          connectionOption,
          new Option("--revoke", "also end credentials that were pasted, at the system"),
          new Option("--revoke-shared", "also end a grant that other connections share; they then need a reconnect"),
        ],
        isMeant: isNamed,
        run: async (options) => (await load()).remove(options),
      },
    },
  );

const connectionOption = new Option("--connection <id>", `${onStore}the connection, con_…`);
const isNamed = ({ connection }: StoreOptions): boolean => connection !== undefined;
const isOnStore = (options: StoreOptions): boolean =>
  options.home !== undefined || (options.region !== undefined && !hasLogin(options));
