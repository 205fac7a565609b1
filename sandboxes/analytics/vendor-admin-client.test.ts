import { AnalyticsAdminServiceClient, protos as adminProtos, v1beta } from "@google-analytics/admin";
import { describe, expect, test } from "vitest";
import { tokens } from "./checks/sandbox-client.ts";
import { sandboxForTests } from "./checks/sandbox-for-tests.ts";
import { clientOptions } from "./checks/vendor-client.ts";

const sandbox = await sandboxForTests();
const admin = new v1beta.AnalyticsAdminServiceClient(clientOptions(sandbox, tokens.administrator));

const property = "properties/1000";

describe("the vendor's Admin client", () => {
  test("walks accounts, summaries and properties, page by page", async () => {
    const [accounts] = await admin.listAccounts();
    expect(accounts.map((account) => account.name)).toEqual(["accounts/100"]);
    const [account] = await admin.getAccount({ name: "accounts/100" });
    expect(account.displayName).toBe("Fieldwork");
    const [summaries] = await admin.listAccountSummaries();
    expect(summaries[0]?.propertySummaries?.length).toBeGreaterThan(3);
    const names: string[] = [];
    for await (const each of admin.listPropertiesAsync({ filter: "parent:accounts/100", pageSize: 2 }))
      names.push(each.name ?? "");
    expect(names).toHaveLength(6);
  });

  test("is told which properties it may edit", async () => {
    const mayEdit = async (token: string) => {
      const [[account]] = await new v1beta.AnalyticsAdminServiceClient(
        clientOptions(sandbox, token),
      ).listAccountSummaries();
      return account?.propertySummaries?.[0]?.canEdit;
    };
    expect([await mayEdit(tokens.viewer), await mayEdit(tokens.editor)]).toEqual([false, true]);
  });

  test("creates, changes and trashes a property", async () => {
    const wish = {
      parent: "accounts/100",
      displayName: "Second shop",
      timeZone: "Asia/Tokyo",
      currencyCode: "JPY",
      industryCategory: "SHOPPING" as const,
    };
    const [created] = await admin.createProperty({ property: wish });
    expect(created).toMatchObject({ ...wish, propertyType: "PROPERTY_TYPE_ORDINARY" });
    const [changed] = await admin.updateProperty({
      property: { name: created.name ?? "", displayName: "Third shop", timeZone: "Europe/Rome" },
      updateMask: { paths: ["display_name"] },
    });
    expect(changed).toMatchObject({ displayName: "Third shop", timeZone: "Asia/Tokyo" });
    const [trashed] = await admin.deleteProperty({ name: created.name ?? "" });
    expect(Number(trashed.expireTime?.seconds) - Number(trashed.deleteTime?.seconds)).toBe(35 * 86_400);
    const [listed] = await admin.listProperties({ filter: "parent:accounts/100" });
    expect(listed.map((each) => each.name)).not.toContain(created.name);
  });

  test("creates, reads, changes and deletes a key event", async () => {
    const [created] = await admin.createKeyEvent({
      parent: property,
      keyEvent: {
        eventName: "sign_up",
        countingMethod: "ONCE_PER_SESSION",
        defaultValue: { numericValue: 5, currencyCode: "EUR" },
      },
    });
    expect(created).toMatchObject({
      eventName: "sign_up",
      deletable: true,
      custom: true,
      countingMethod: "ONCE_PER_SESSION",
    });
    const [read] = await admin.getKeyEvent({ name: created.name ?? "" });
    expect(read.defaultValue).toMatchObject({ numericValue: 5, currencyCode: "EUR" });
    const [changed] = await admin.updateKeyEvent({
      keyEvent: { name: created.name ?? "", countingMethod: "ONCE_PER_EVENT" },
      updateMask: { paths: ["counting_method"] },
    });
    expect(changed).toMatchObject({ countingMethod: "ONCE_PER_EVENT", defaultValue: { numericValue: 5 } });
    await admin.deleteKeyEvent({ name: created.name ?? "" });
    const [listed] = await admin.listKeyEvents({ parent: property });
    expect(listed.map((each) => each.eventName)).toEqual(["purchase", "generate_lead"]);
  });

  test("sets up data streams of each kind", async () => {
    const parent = "properties/1002";
    const [web] = await admin.createDataStream({
      parent,
      dataStream: {
        type: "WEB_DATA_STREAM",
        displayName: "Site",
        webStreamData: { defaultUri: "https://new.example" },
      },
    });
    expect(web.webStreamData?.measurementId).toMatch(/^G-[A-Z0-9]{10}$/);
    await admin.createDataStream({
      parent,
      dataStream: {
        type: "ANDROID_APP_DATA_STREAM",
        displayName: "App",
        androidAppStreamData: { packageName: "example.app" },
      },
    });
    await admin.createDataStream({
      parent,
      dataStream: { type: "IOS_APP_DATA_STREAM", displayName: "App", iosAppStreamData: { bundleId: "example.app" } },
    });
    const [changed] = await admin.updateDataStream({
      dataStream: { name: web.name ?? "", displayName: "Renamed" },
      updateMask: { paths: ["displayName"] },
    });
    expect(changed.displayName).toBe("Renamed");
    const [read] = await admin.getDataStream({ name: web.name ?? "" });
    expect(read.webStreamData?.defaultUri).toBe("https://new.example");
    const [streams] = await admin.listDataStreams({ parent });
    expect(streams).toHaveLength(3);
  });

  test("decodes refusals", async () => {
    const viewer = new v1beta.AnalyticsAdminServiceClient(clientOptions(sandbox, tokens.viewer));
    const wish = { parent: "accounts/100", displayName: "No", timeZone: "Etc/UTC" };
    await expect(viewer.createProperty({ property: wish })).rejects.toMatchObject({ code: 7 });
    await expect(
      admin.createKeyEvent({ parent: property, keyEvent: { eventName: "purchase", countingMethod: "ONCE_PER_EVENT" } }),
    ).rejects.toMatchObject({ code: 6 });
    await expect(
      admin.createKeyEvent({
        parent: property,
        keyEvent: { eventName: "never_sent", countingMethod: "ONCE_PER_EVENT" },
      }),
    ).rejects.toMatchObject({ code: 9 });
    // "countingMethod is required by the vendor's schema for key events."
    await expect(admin.createKeyEvent({ parent: property, keyEvent: { eventName: "sign_up" } })).rejects.toMatchObject({
      code: 3,
    });
    await expect(admin.getKeyEvent({ name: `${property}/keyEvents/1` })).rejects.toMatchObject({ code: 5 });
  });
});

const { COST_DATA: costData } = adminProtos.google.analytics.admin.v1alpha.CustomMetric.RestrictedMetricType;
const acknowledgement =
  "I acknowledge that I have the necessary privacy disclosures and rights from my end users for the collection and processing of their data, including the association of such data with the visitation information Google Analytics collects from my site and/or app property.";

// "The default export of @google-analytics/admin 10 is v1alpha"; v1beta has the same resources.
describe.each([
  [
    "the vendor's default Admin client, v1alpha",
    () => new AnalyticsAdminServiceClient(clientOptions(sandbox, tokens.administrator)),
  ],
  ["the vendor's Admin client, v1beta", () => admin],
] as const)("%s", (_, clientOf) => {
  // Both clients have these methods, with the same names and messages.
  const client = () => clientOf() as AnalyticsAdminServiceClient;

  test("walks accounts and properties, and marks key events", async () => {
    expect((await client().listAccountSummaries())[0][0]?.account).toBe("accounts/100");
    expect((await client().getProperty({ name: property }))[0].displayName).toBe("Shop");
    const keyEvent = { eventName: "login", countingMethod: "ONCE_PER_EVENT" as const };
    const [created] = await client().createKeyEvent({ parent: property, keyEvent });
    await client().deleteKeyEvent({ name: created.name ?? "" });
    expect((await client().listDataStreams({ parent: property }))[0]).toHaveLength(1);
  });

  test("defines dimensions and metrics, changes them, and archives them", async () => {
    const wish = { parameterName: "wood", displayName: "Wood", scope: "ITEM" as const };
    const [made] = await client().createCustomDimension({ parent: property, customDimension: wish });
    expect(made).toMatchObject(wish);
    const name = made.name ?? "";
    await expect(client().createCustomDimension({ parent: property, customDimension: wish })).rejects.toMatchObject({
      code: 6,
    });
    const [changed] = await client().updateCustomDimension({
      customDimension: { name, displayName: "Kind of wood" },
      updateMask: { paths: ["display_name"] },
    });
    expect(changed).toMatchObject({ ...wish, displayName: "Kind of wood" });
    expect((await client().getCustomDimension({ name }))[0]).toMatchObject(changed);
    await client().archiveCustomDimension({ name });
    const [listed] = await client().listCustomDimensions({ parent: property });
    expect(listed.map(({ parameterName }) => parameterName)).toEqual(["plan", "tier", "material"]);
    const money = {
      parameterName: "cost",
      displayName: "Cost",
      measurementUnit: "CURRENCY" as const,
      scope: "EVENT" as const,
    };
    await expect(client().createCustomMetric({ parent: property, customMetric: money })).rejects.toMatchObject({
      code: 3,
    });
    const [metric] = await client().createCustomMetric({
      parent: property,
      customMetric: { ...money, restrictedMetricType: [costData] },
    });
    await client().archiveCustomMetric({ name: metric.name ?? "" });
    expect((await client().listCustomMetrics({ parent: property }))[0]).toHaveLength(1);
  });

  test("links, retention, secrets, and what goes with them", async () => {
    const [ads] = await client().createGoogleAdsLink({ parent: property, googleAdsLink: { customerId: "123" } });
    expect(ads.adsPersonalizationEnabled?.value).toBe(true);
    expect((await client().listGoogleAdsLinks({ parent: property }))[0]).toHaveLength(1);
    await client().deleteGoogleAdsLink({ name: ads.name ?? "" });
    const [firebase] = await client().createFirebaseLink({
      parent: property,
      firebaseLink: { project: "projects/app" },
    });
    await client().deleteFirebaseLink({ name: firebase.name ?? "" });
    const settings = `${property}/dataRetentionSettings`;
    const [kept] = await client().updateDataRetentionSettings({
      dataRetentionSettings: { name: settings, eventDataRetention: "FOURTEEN_MONTHS" },
      updateMask: { paths: ["event_data_retention"] },
    });
    expect(kept).toMatchObject({ eventDataRetention: "FOURTEEN_MONTHS", userDataRetention: "TWO_MONTHS" });
    expect((await client().getDataRetentionSettings({ name: settings }))[0]).toMatchObject(kept);
    // "This acknowledgement must be completed before MeasurementProtocolSecret resources may be created."
    const wish = { parent: "accounts/100", displayName: "Fresh", timeZone: "Etc/UTC" };
    const [fresh] = await client().createProperty({ property: wish });
    const dataStream = {
      type: "WEB_DATA_STREAM" as const,
      displayName: "Web",
      webStreamData: { defaultUri: "https://a.example" },
    };
    const [stream] = await client().createDataStream({ parent: fresh.name ?? "", dataStream });
    const secret = { parent: stream.name ?? "", measurementProtocolSecret: { displayName: "Server" } };
    await expect(client().createMeasurementProtocolSecret(secret)).rejects.toMatchObject({ code: 9 });
    await client().acknowledgeUserDataCollection({ property: fresh.name ?? "", acknowledgement });
    const [made] = await client().createMeasurementProtocolSecret(secret);
    expect(made.secretValue).toMatch(/^[\w-]{22}$/);
    expect((await client().listMeasurementProtocolSecrets({ parent: stream.name ?? "" }))[0]).toEqual([made]);
    const [history] = await client().searchChangeHistoryEvents({ account: "accounts/100", property: fresh.name ?? "" });
    expect(history[0]?.changes?.[0]).toMatchObject({ resource: made.name, action: "CREATED" });
    await client().deleteProperty({ name: fresh.name ?? "" });
  });

  // "Data access reports are only available to users with Administrator role."
  test("shows who read what to administrators alone", async () => {
    const question = {
      entity: "accounts/100",
      dateRanges: [{ startDate: "7daysAgo", endDate: "today" }],
      metrics: [{ metricName: "accessCount" }],
    };
    expect((await client().runAccessReport(question))[0].metricHeaders).toMatchObject([{ metricName: "accessCount" }]);
    const editor = new v1beta.AnalyticsAdminServiceClient(clientOptions(sandbox, tokens.editor));
    await expect(editor.runAccessReport(question)).rejects.toMatchObject({ code: 7 });
  });
});
