import type { AccessLevel, Identity } from "../../account.ts";
import { type Endpoint, memberOf, type SignInWork, textIn } from "../../sign-in.ts";
import type { Answer } from "../../work.ts";
import { refuseUnread } from "./refused-read.ts";
import { adminOf, dataOf } from "./token.ts";

/** What an account reaches and may do there, found by reading alone. */
export interface Reach {
  properties: NonNullable<Identity["properties"]>;
  accounts: string[];
  accountName: string | null;
  canEdit: boolean;
}

const pagesMax = 25;
const pageSize = 200;
/** Nobody has more; fifty are shown, and their number. */
const propertiesMax = 20_000;

/** Every account and property in reach; the vendor's own picker shows only the first page. */
export function* readReach(token: string, endpoint: Endpoint): SignInWork<Reach> {
  const reach: Reach = { properties: [], accounts: [], accountName: null, canEdit: false };
  let pageToken = "";
  for (let page = 0; page < pagesMax; page++) {
    const target = `/v1beta/accountSummaries?pageSize=${pageSize}${pageToken && `&pageToken=${encodeURIComponent(pageToken)}`}`;
    const answer: Answer = yield { origin: adminOf(endpoint), method: "GET", target, bearer: token };
    refuseUnread(answer, endpoint, "Admin API");
    for (const account of listIn(answer.body, "accountSummaries").slice(0, pageSize)) addAccount(reach, account);
    pageToken = textIn(answer.body, "nextPageToken") ?? "";
    if (pageToken === "" || reach.properties.length === propertiesMax) break;
  }
  return reach;
}

function addAccount(reach: Reach, account: unknown): void {
  const name = textIn(account, "account");
  if (name === undefined) return;
  reach.accounts.push(name);
  reach.accountName ??= textIn(account, "displayName") ?? null;
  for (const summary of listIn(account, "propertySummaries").slice(0, propertiesMax - reach.properties.length)) {
    if (memberOf(summary, "canEdit") === true) reach.canEdit = true;
    reach.properties.push({
      property_id: (textIn(summary, "property") ?? "").replace(/^properties\//, ""),
      display_name: textIn(summary, "displayName") ?? "",
      account_id: name.replace(/^accounts\//, ""),
    });
  }
}

const listIn = (body: unknown, name: string): unknown[] => {
  const value = memberOf(body, name);
  return Array.isArray(value) ? value : [];
};

/**
 * The Data API is switched on apart from the Admin API. The list of fields of property 0 belongs to nobody, so asking
 * for its name alone costs no property any quota.
 */
export function* requireReports(token: string, endpoint: Endpoint): SignInWork<void> {
  const target = "/v1beta/properties/0/metadata?fields=name";
  const answer = yield { origin: dataOf(endpoint), method: "GET", target, bearer: token };
  if (answer.status === 403) refuseUnread(answer, endpoint, "Data API");
}

const accountsAskedMax = 5;

/** Null if reading does not tell: an account without a property shows no role until it is used. */
export function* levelOf(token: string, endpoint: Endpoint, reach: Reach): SignInWork<AccessLevel | null> {
  const isEmpty = reach.properties.length === 0;
  if (!isEmpty && !reach.canEdit) return "viewer";
  for (const account of reach.accounts.slice(0, accountsAskedMax)) {
    if (yield* isAdministrator(token, endpoint, account)) return "administrator";
  }
  return isEmpty ? null : "editor";
}

/** "Data access reports are only available to users with Administrator role": a report that changes nothing. */
function* isAdministrator(token: string, endpoint: Endpoint, account: string): SignInWork<boolean> {
  const target = `/v1beta/${account}:runAccessReport`;
  const json = {
    dateRanges: [{ startDate: "today", endDate: "today" }],
    metrics: [{ metricName: "accessCount" }],
    limit: "1",
  };
  const answer = yield { origin: adminOf(endpoint), method: "POST", target, bearer: token, json };
  return answer.status === 200;
}
