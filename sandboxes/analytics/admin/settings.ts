import { invalid } from "../wire/api-error.ts";
import { looseMessage, retentionMessage } from "../wire/more-admin-messages.ts";
import { type Message, type MessageType, toSnake } from "../wire/proto-json.ts";
import type { AdminScope } from "./access.ts";
import { requireParent, withoutDefaults } from "./collections.ts";
import type { Thing } from "./records.ts";
import { readUpdateMask } from "./update-mask.ts";

/** Settings of which a property or a stream always has exactly one. */
export interface Setting {
  segment: string;
  one: string;
  under: "property" | "data stream";
  message: MessageType;
  mutable: readonly string[];
  /** As the vendor sets them for a new property. */
  first: Message;
  check?(setting: Message): void;
}

export function getSetting({ segment, first }: Setting, scope: AdminScope, parent: string): Thing {
  requireParent(scope, parent, "viewer");
  const name = `${parent}/${segment}`;
  return { ...(scope.records.things.get(name) ?? first), name };
}

export function updateSetting(
  setting: Setting,
  scope: AdminScope,
  parent: string,
  message: Message,
  query: URLSearchParams,
): Thing {
  requireParent(scope, parent, "editor");
  const mask = readUpdateMask(query, setting.mutable, Object.keys(setting.message.fields));
  const changes = Object.fromEntries(mask.map((field) => [field, message[field]]));
  const changed = withoutDefaults({ ...getSetting(setting, scope, parent), ...changes }) as Thing;
  setting.check?.(changed);
  scope.records.things.set(changed.name, changed);
  return changed;
}

const retentionFields = ["eventDataRetention", "userDataRetention"] as const;

/** In both versions of the API. */
export const settings: Setting[] = [
  {
    segment: "dataRetentionSettings",
    one: "DataRetentionSettings",
    under: "property",
    message: retentionMessage,
    mutable: [...retentionFields, "resetUserDataOnNewActivity"],
    first: {
      eventDataRetention: "TWO_MONTHS",
      userDataRetention: "TWO_MONTHS",
      resetUserDataOnNewActivity: true,
    },
    check(setting) {
      for (const field of retentionFields) {
        if (["TWO_MONTHS", "FOURTEEN_MONTHS"].includes(String(setting[field]))) continue;
        throw invalid(`Invalid ${toSnake(field)}: standard properties keep data for two or fourteen months.`);
      }
    },
  },
];

const loose = (segment: string, one: string, under: Setting["under"], fields: string, first: Message): Setting => ({
  segment,
  one,
  under,
  message: looseMessage(one, `name ${fields}`),
  mutable: fields.split(" "),
  first,
});

/** In v1alpha alone. */
export const alphaSettings: Setting[] = [
  loose("googleSignalsSettings", "GoogleSignalsSettings", "property", "state consent", {
    state: "GOOGLE_SIGNALS_DISABLED",
    consent: "GOOGLE_SIGNALS_CONSENT_NOT_CONSENTED",
  }),
  loose(
    "attributionSettings",
    "AttributionSettings",
    "property",
    "acquisitionConversionEventLookbackWindow otherConversionEventLookbackWindow reportingAttributionModel adsWebConversionDataExportScope",
    {
      acquisitionConversionEventLookbackWindow: "ACQUISITION_CONVERSION_EVENT_LOOKBACK_WINDOW_30_DAYS",
      otherConversionEventLookbackWindow: "OTHER_CONVERSION_EVENT_LOOKBACK_WINDOW_90_DAYS",
      reportingAttributionModel: "PAID_AND_ORGANIC_CHANNELS_DATA_DRIVEN",
      adsWebConversionDataExportScope: "PAID_AND_ORGANIC_CHANNELS",
    },
  ),
  loose("reportingIdentitySettings", "ReportingIdentitySettings", "property", "reportingIdentity", {
    reportingIdentity: "BLENDED",
  }),
  loose(
    "enhancedMeasurementSettings",
    "EnhancedMeasurementSettings",
    "data stream",
    "streamEnabled scrollsEnabled outboundClicksEnabled siteSearchEnabled videoEngagementEnabled fileDownloadsEnabled pageChangesEnabled formInteractionsEnabled searchQueryParameter uriQueryParameter",
    {
      streamEnabled: true,
      scrollsEnabled: true,
      outboundClicksEnabled: true,
      siteSearchEnabled: true,
      videoEngagementEnabled: true,
      fileDownloadsEnabled: true,
      pageChangesEnabled: true,
      formInteractionsEnabled: true,
      searchQueryParameter: "q,s,search,query,keyword",
    },
  ),
  loose(
    "dataRedactionSettings",
    "DataRedactionSettings",
    "data stream",
    "emailRedactionEnabled queryParameterRedactionEnabled queryParameterKeys",
    { emailRedactionEnabled: true },
  ),
];
