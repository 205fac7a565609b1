import { type Region, regions } from "../../kernel/regions.ts";
import { clientSettingName } from "../../systems/client-settings.ts";
import { type SystemId, systemIds, systemOf } from "../../systems/index.ts";
import type { ClientSetting } from "../../systems/sign-in.ts";
import { type Setting, setting } from "./define-setting.ts";
import { readBaseUrl, readDatabaseUrl, readSecretWord, readWord } from "./read-setting-values.ts";

/** One of each per region. */
export const regionSettings = {
  databaseUrl: (region: Region) =>
    setting({
      name: `SIGNALBOX_DATABASE_URL_${region.toUpperCase() as Uppercase<Region>}`,
      defaultText: null,
      means:
        "A `postgres://` address stores the region in PostgreSQL; the default is a SQLite file in the data folder. Several hosts, separated by commas, are servers of one cluster: Signalbox uses the one that accepts writes (with `target_session_attrs=any`, the first). Behind a pooler, Signalbox does not use prepared statements; set `prepare=false` if it does not detect the pooler. With `reserve_database`, authentication and health checks connect to the database of this name, for which the pooler has connections of its own.",
      read: readDatabaseUrl,
    }),
  replicaUrl: (region: Region) =>
    setting({
      name: `SIGNALBOX_DATABASE_REPLICA_URL_${region.toUpperCase() as Uppercase<Region>}`,
      defaultText: null,
      means:
        "The `postgres://` address of a streaming replica of the region's PostgreSQL. The lists of runs and of the audit log are read there, as long as it has everything that the primary has; otherwise from the primary. See docs/scale.md.",
      read: readDatabaseUrl,
    }),
  baseUrl: (region: Region) =>
    setting({
      name: `SIGNALBOX_BASE_URL_${region.toUpperCase() as Uppercase<Region>}`,
      defaultText: null,
      means: "The region's public base address, for links and for `wrong_region` errors. Default: host and port.",
      read: readBaseUrl,
    }),
};

/** The OAuth client that the operator registers at a live system; null if the system has no consent page. */
export function clientSettingsOf(system: SystemId, region: Region) {
  const client = systemOf(system).signIn.consent?.client;
  if (!client) return null;
  const named = (setting: ClientSetting) =>
    ({ name: clientSettingName(system, setting, region), defaultText: null, means: setting.means }) as const;
  return {
    id: setting({ ...named(client.id), read: readWord }),
    secret: setting({ ...named(client.secret), read: readSecretWord }),
    ...(client.slug && { slug: setting({ ...named(client.slug), read: readWord }) }),
  };
}

/** Every setting that exists per region, for all regions. */
export const allRegionSettings = (): Setting<unknown>[] => [
  ...Object.values(regionSettings).flatMap((settingOf) => regions.map((region) => settingOf(region))),
  ...systemIds.flatMap((system) => {
    const perRegion = regions.map((region) => Object.values(clientSettingsOf(system, region) ?? {}));
    return (perRegion[0] ?? []).flatMap((_, index) => perRegion.flatMap((settings) => settings[index] ?? []));
  }),
];
