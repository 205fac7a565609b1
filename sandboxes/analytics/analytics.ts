import { createClock } from "../server/clock.ts";
import type { CreateSandbox, SandboxAnswer, SandboxCall } from "../server/sandbox.ts";
import type { AdminScope } from "./admin/access.ts";
import { noteChange } from "./admin/change-history.ts";
import { seedRecords } from "./admin/records.ts";
import { createDataApi } from "./data-api.ts";
import { localTime } from "./events/calendar.ts";
import { createEventSets } from "./events/event-set-cache.ts";
import { createAuthorization } from "./oauth/authorize.ts";
import { decisionPath } from "./oauth/consent-page.ts";
import { answerToken } from "./oauth/token-endpoint.ts";
import { answerRevoke, answerTokenInfo } from "./oauth/token-facts.ts";
import { authenticate, requireEnabled, requireScope } from "./people/caller.ts";
import { describedCredentials, listedTokens } from "./people/credentials.ts";
import { otherServiceAccounts, serviceAccountFile } from "./people/service-account.ts";
import { createTokens, scopes } from "./people/tokens.ts";
import { createAdminRate } from "./quota/admin-rate.ts";
import { createLimits } from "./quota/limits.ts";
import { createPropertyQuota } from "./quota/property-quota.ts";
import { createSubjects } from "./reports/build-subject.ts";
import { findRoute, type Route, refuseUnknownParameters } from "./routes.ts";
import { ApiError, jsonType, toAnswer } from "./wire/api-error.ts";
import { notFoundPage } from "./wire/html-pages.ts";
import { selectFields } from "./wire/partial-response.ts";

const ids = {
  account: "accounts/100",
  property: "properties/1000",
  second_property: "properties/1001",
  empty_property: "properties/1002",
  foreign_account: "accounts/200",
  foreign_property: "properties/2000",
  data_stream: "properties/1000/dataStreams/5000",
  key_event: "properties/1000/keyEvents/71",
  failing_properties: { "429": "properties/1429", "500": "properties/1500", "503": "properties/1503" },
};

const dataScopes = [scopes.read, scopes.all];
const adminReadScopes = [scopes.read, scopes.edit];
const adminWriteScopes = [scopes.edit];

/** The web analytics platform: its two APIs and its sign-in, all four hosts at one root. */
export const createAnalyticsSandbox: CreateSandbox = (baseUrl) => {
  const clock = createClock();
  const adjustableLimits = createLimits();
  let records = seedRecords();
  const eventSets = createEventSets();
  const subjects = createSubjects(() => records, eventSets, adjustableLimits, clock);
  const quota = createPropertyQuota(adjustableLimits, clock);
  const adminRate = createAdminRate(adjustableLimits, clock);
  const tokens = createTokens(listedTokens, adjustableLimits, clock);
  const authorization = createAuthorization(adjustableLimits, clock, baseUrl);
  const dataApi = createDataApi({ records: () => records, subjects, quota, adjustableLimits, clock });
  const tokenRoom = { authorization, tokens, adjustableLimits, clock, baseUrl };
  // The large event set is made now, so that no report waits for it.
  eventSets.of(
    "properties/1000",
    "Europe/Paris",
    records.collectsSince.get("properties/1000"),
    localTime("Europe/Paris", clock.now()).day,
  );

  const signIn: Record<string, (call: SandboxCall) => SandboxAnswer> = {
    "GET /o/oauth2/v2/auth": authorization.show,
    "GET /o/oauth2/auth": authorization.show,
    [`POST ${decisionPath}`]: authorization.decide,
    "POST /token": (call) => answerToken(call, tokenRoom),
    "POST /revoke": (call) => answerRevoke(call, tokens, authorization),
    "GET /tokeninfo": (call) => answerTokenInfo(call, tokens, clock),
    "POST /tokeninfo": (call) => answerTokenInfo(call, tokens, clock),
  };

  function runAdmin(route: Extract<Route, { api: "admin" }>, call: SandboxCall, person: AdminScope["person"]): object {
    adminRate.admit(person.email, route.method.isWrite);
    refuseUnknownParameters(call.query, route.method.query);
    const scope: AdminScope = {
      records,
      person,
      clock,
      keyEventsMax: adjustableLimits.current().key_events_per_property,
      hasCollected(propertyName, eventName) {
        const property = records.properties.get(propertyName);
        return property !== undefined && subjects.hasCollected(property, eventName);
      },
    };
    const answer = route.method.answer(scope, route.resource, call.query, call.body);
    if (route.method.isWrite) noteChange(scope, route.method.name, route.resource, answer);
    return answer;
  }

  /** Credentials, scope, then whatever the method itself checks: the vendor's order. */
  async function callApi(route: Route, call: SandboxCall): Promise<SandboxAnswer> {
    let identity: string | null = null;
    try {
      const isData = route.api === "data";
      const method = {
        service: isData ? "analyticsdata.googleapis.com" : "analyticsadmin.googleapis.com",
        name: route.methodName,
      } as const;
      const caller = authenticate(call, method, { tokens, clock, baseUrl });
      identity = caller.person.email;
      const { data_api_enabled, admin_api_enabled } = adjustableLimits.current();
      requireEnabled(caller, method, (isData ? data_api_enabled : admin_api_enabled) > 0);
      const accepted = isData
        ? dataScopes
        : (route.method.scopes ?? (route.method.isWrite ? adminWriteScopes : adminReadScopes));
      requireScope(caller, accepted, method);
      let body: unknown;
      if (isData) {
        refuseUnknownParameters(call.query, []);
        body = await dataApi.run(route.method, route.propertyId, caller.person, call.body);
      } else body = runAdmin(route, call, caller.person);
      const fields = call.query.get("fields") ?? call.query.get("$fields");
      return { status: 200, headers: jsonType, body: fields ? selectFields(body, fields) : body, identity };
    } catch (error) {
      if (error instanceof ApiError) return toAnswer(error, identity);
      throw error;
    }
  }

  return {
    system: "analytics",
    clock,
    handle(call) {
      const route = findRoute(call.method, call.path);
      if (route) return callApi(route, call);
      const answer = signIn[`${call.method} ${call.path}`];
      return answer ? answer(call) : notFoundPage(call.path);
    },
    describe: () => ({
      credentials: {
        ...describedCredentials,
        service_account: serviceAccountFile(baseUrl),
        other_service_accounts: otherServiceAccounts(baseUrl),
      },
      ids,
      limits: adjustableLimits.current(),
    }),
    reset() {
      records = seedRecords();
      adjustableLimits.reset();
      quota.reset();
      adminRate.reset();
      tokens.reset();
      authorization.reset();
      dataApi.reset();
    },
    setLimits: adjustableLimits.change,
    stop() {
      clock.stop();
      dataApi.reset();
    },
  };
};
