import type { EventName } from "../events/site.ts";
import { euros, eventsNamed, first, type Metric, sumOf } from "./metric.ts";
import { metricFields as fields } from "./metric-table.ts";

const paid = sumOf("cents", "purchase");
const refunded = sumOf("cents", "refund");
const minus = ([whole = 0, part = 0]: number[]): number => (whole - part) / 100;
const nothing = () => 0;
const items = (name: EventName) => [sumOf("quantity", name)];

/** Items of the shop: the events about them, and how many and how much. */
export const itemMetrics: Metric[] = [
  ...fields(
    "Ecommerce",
    [
      [
        "itemViewEvents",
        "Item view events",
        "INTEGER",
        "Times item details were shown.",
        [eventsNamed("view_item")],
        first,
      ],
      [
        "itemListViewEvents",
        "Item list view events",
        "INTEGER",
        "Times a list was shown.",
        [eventsNamed("view_item_list")],
        first,
      ],
      [
        "itemListClickEvents",
        "Item list click events",
        "INTEGER",
        "Times an item of a list was chosen.",
        [eventsNamed("select_item")],
        first,
      ],
    ],
    { scope: "item event" },
  ),
  ...fields(
    "Ecommerce",
    [
      ["itemRevenue", "Item revenue", "CURRENCY", "Items bought less items given back.", [paid, refunded], minus],
      ["grossItemRevenue", "Gross item revenue", "CURRENCY", "Items bought.", [paid], euros],
      ["itemRefundAmount", "Item refund amount", "CURRENCY", "Items given back.", [refunded], euros],
      ["itemDiscountAmount", "Item discount amount", "CURRENCY", "Discounts on items.", [], nothing],
    ],
    { scope: "item", restricted: "REVENUE_DATA" },
  ),
  ...fields(
    "Ecommerce",
    [
      ["itemsViewed", "Items viewed", "INTEGER", "Items whose details were shown.", items("view_item"), first],
      ["itemsAddedToCart", "Items added to cart", "INTEGER", "Items put into baskets.", items("add_to_cart"), first],
      ["itemsCheckedOut", "Items checked out", "INTEGER", "Items in checkouts.", items("begin_checkout"), first],
      ["itemsPurchased", "Items purchased", "INTEGER", "Items bought.", items("purchase"), first],
      ["itemsViewedInList", "Items viewed in list", "INTEGER", "Items shown in lists.", items("view_item_list"), first],
      ["itemsClickedInList", "Items clicked in list", "INTEGER", "Items chosen in lists.", items("select_item"), first],
    ],
    { scope: "item" },
  ),
];
