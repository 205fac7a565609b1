import type { EventColumns, SessionColumns } from "./event-set.ts";
import { createPicker, type Random } from "./random.ts";
import {
  articlePages,
  categoryPages,
  coupons,
  type EventName,
  eventCode,
  files,
  itemPages,
  items,
  links,
  pageNumber,
  plans,
  promotions,
  searchTerms,
} from "./site.ts";
import { traffic } from "./traffic.ts";

export const visitSecondsMax = 1500;
const itemsPerList = 5;
export const eventsPerVisitMax = 120;
/** Variants of query strings. Those from `queryVariantsKept` on are folded into "(other)" by the report tables. */
export const queryVariants = 400;

const pickTraffic = createPicker(traffic.map((each) => each.weight));
const home = pageNumber("/");
const search = pageNumber("/search");
const basket = pageNumber("/basket");
const checkout = pageNumber("/checkout");
const thanks = pageNumber("/checkout/thanks");
const account = pageNumber("/account");
const join = pageNumber("/account/join");
const contact = pageNumber("/contact");
const sizes = pageNumber("/help/sizes");
const codes = Object.fromEntries(
  (
    "session_start first_visit page_view user_engagement scroll click view_search_results file_download view_item_list " +
    "select_item view_item add_to_cart begin_checkout purchase refund sign_up login generate_lead view_promotion select_promotion"
  )
    .split(" ")
    .map((name) => [name, eventCode(name as EventName)]),
) as Record<EventName, number>;

const pick = (random: Random, from: readonly number[]): number => from[random.below(from.length)] ?? home;

/** Appends whole visits to the columns. */
export function createVisitWriter(events: EventColumns, sessions: SessionColumns) {
  let eventCount = 0;
  let sessionCount = 0;
  // Of the visit being written.
  let second = 0;
  let page = home;

  function put(name: EventName, engagedSeconds = 0): number {
    const at = eventCount++;
    events.session[at] = sessionCount;
    events.second[at] = second;
    events.name[at] = codes[name];
    events.page[at] = page;
    events.engagedSeconds[at] = engagedSeconds;
    return at;
  }

  function wait(random: Random, atMost: number): void {
    second += 1 + random.below(atMost);
  }

  function putItem(name: EventName, item: number, quantity: number): number {
    const at = put(name);
    events.item[at] = item + 1;
    events.quantity[at] = quantity;
    return at;
  }

  function openPage(next: number, random: Random, query = 0): void {
    page = next;
    const at = put("page_view", 2 + random.below(45));
    events.query[at] = query;
    wait(random, 75);
    if (random.chance(0.35)) put("scroll");
  }

  function shop(random: Random): void {
    openPage(pick(random, categoryPages), random);
    events.quantity[put("view_item_list")] = itemsPerList;
    if (random.chance(0.12)) {
      const at = put(random.chance(0.3) ? "select_promotion" : "view_promotion");
      events.detail[at] = random.below(promotions.length);
    }
    const item = random.below(items.length);
    if (random.chance(0.5)) putItem("select_item", item, 1);
    openPage(itemPages[item] ?? home, random);
    putItem("view_item", item, 1);
    if (random.chance(0.32)) buy(random, item);
  }

  function buy(random: Random, item: number): void {
    const quantity = 1 + random.below(1 + random.below(3));
    wait(random, 20);
    putItem("add_to_cart", item, quantity);
    if (!random.chance(0.55)) return;
    openPage(basket, random);
    openPage(checkout, random);
    putItem("begin_checkout", item, quantity);
    if (!random.chance(0.62)) return;
    wait(random, 90);
    openPage(thanks, random);
    const at = putItem("purchase", item, quantity);
    events.cents[at] = quantity * (items[item]?.priceCents ?? 0);
    events.detail[at] = random.below(coupons.length);
    if (!random.chance(0.03)) return;
    wait(random, 60);
    const refund = putItem("refund", item, quantity);
    events.cents[refund] = quantity * (items[item]?.priceCents ?? 0);
  }

  function look(random: Random): void {
    const what = random.next();
    if (what < 0.42) openPage(pick(random, articlePages), random);
    else if (what < 0.6) {
      openPage(search, random, 1 + random.below(queryVariants));
      events.detail[put("view_search_results")] = random.below(searchTerms.length);
    } else if (what < 0.7) {
      openPage(join, random);
      if (random.chance(0.5)) events.detail[put("sign_up")] = random.below(plans.length);
    } else if (what < 0.8) {
      openPage(account, random);
      put("login");
    } else if (what < 0.88) {
      openPage(contact, random);
      if (random.chance(0.45)) events.cents[put("generate_lead")] = 1000;
    } else {
      openPage(sizes, random);
      if (random.chance(0.4)) events.detail[put("file_download")] = random.below(files.length);
    }
    if (random.chance(0.08)) events.detail[put("click")] = random.below(links.length);
  }

  /** Paid visits land on what was advertised, the others mostly on the front page. */
  function landingPage(random: Random, medium: string): number {
    if (medium === "cpc" || medium === "display") return pick(random, itemPages);
    if (medium === "email" || medium === "paid_social") return pick(random, categoryPages);
    const chance = random.next();
    return chance < 0.5 ? home : chance < 0.75 ? pick(random, itemPages) : pick(random, articlePages);
  }

  function rememberTraffic(session: number, random: Random, isNew: boolean): string {
    if (!isNew) sessions.traffic[session] = pickTraffic(random);
    const from = traffic[sessions.traffic[session] ?? 0];
    const medium = from?.medium ?? "";
    const isAdvertised = from?.platform === "Google Ads";
    if (isAdvertised || (from?.source === "google" && medium === "organic")) {
      sessions.impressions[session] = 8 + random.below(40);
      sessions.position[session] = 1 + random.below(1 + random.below(20));
    }
    if (isAdvertised) sessions.costCents[session] = 12 + random.below(90);
    return medium;
  }

  return {
    eventCount: () => eventCount,
    sessionCount: () => sessionCount,
    /** Writes the visit of the session whose user is described already. */
    write(session: number, startSecond: number, random: Random, isNew: boolean): void {
      second = startSecond;
      const medium = rememberTraffic(session, random, isNew);
      const query = medium === "cpc" || medium === "email" ? 1 + random.below(queryVariants) : 0;
      page = landingPage(random, medium);
      sessions.landing[session] = page;
      sessions.landingQuery[session] = query;
      put("session_start");
      if (isNew) put("first_visit");
      openPage(page, random, query);
      // A visit of some seconds and one page is no engaged one.
      const isEngaged = random.chance(isNew ? 0.56 : 0.7);
      if (isEngaged) {
        put("user_engagement", 10 + random.below(60));
        const interests = 1 + random.below(1 + random.below(4));
        for (let interest = 0; interest < interests; interest++) {
          if (random.chance(0.55)) shop(random);
          else look(random);
        }
      }
      sessions.isEngaged[session] = isEngaged ? 1 : 0;
      sessions.seconds[session] = Math.min(visitSecondsMax, second - startSecond);
      sessionCount++;
    },
  };
}
