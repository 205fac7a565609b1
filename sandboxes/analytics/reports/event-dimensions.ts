import { coupons, eventNames, files, links, promotions, searchTerms, shippingTiers } from "../events/site.ts";
import { detailRadix } from "./columns.ts";
import { type Dimension, notSet } from "./dimension.ts";
import { type DimensionRow, dimensionFields, isEvent, ofItem, parameter } from "./dimension-table.ts";

/** What happened: the event, its parameters, the order and the item. */
export const eventDimensions: Dimension[] = [
  ...dimensionFields("eventName", "Event", [
    ["eventName", "Event name", "The name of the event.", (code) => eventNames[code] ?? notSet],
    [
      "isKeyEvent",
      "Is key event",
      "Whether the event is marked as a key event.",
      (code, { keyEventNames }) => String(keyEventNames.has(eventNames[code] ?? "")),
    ],
  ]),
  ...dimensionFields("eventDetail", "Link", [
    ["linkUrl", "Link URL", "The address of a link that was clicked.", parameter(["click"], links, "")],
    [
      "linkDomain",
      "Link domain",
      "The host of a link that was clicked.",
      (code) => (isEvent(code, "click") ? new URL(links[code % detailRadix] ?? "https://none.example").hostname : ""),
    ],
    [
      "outbound",
      "Outbound",
      "Whether a link led away from the site.",
      (code) => (isEvent(code, "click") ? "true" : ""),
    ],
    ["fileName", "File name", "The name of a file that was downloaded.", parameter(["file_download"], files, "")],
  ]),
  ...dimensionFields("eventDetail", "General", [
    [
      "searchTerm",
      "Search term",
      "What was searched for on the site.",
      parameter(["view_search_results"], searchTerms, ""),
    ],
    [
      "percentScrolled",
      "Percent scrolled",
      "How far down the page was read.",
      (code) => (isEvent(code, "scroll") ? "90" : ""),
    ],
    [
      "method",
      "Method",
      "How the visitor signed in or up.",
      (code) => (isEvent(code, "login") || isEvent(code, "sign_up") ? "email" : ""),
    ],
  ]),
  ...dimensionFields("eventDetail", "Ecommerce", [
    ["orderCoupon", "Order coupon", "The coupon used for an order.", parameter(["purchase"], coupons)],
    [
      "itemPromotionName",
      "Item promotion name",
      "The promotion shown.",
      parameter(["view_promotion", "select_promotion"], promotions),
    ],
    [
      "shippingTier",
      "Shipping tier",
      "How an order is shipped.",
      (code) => (isEvent(code, "purchase") ? (shippingTiers[(code % detailRadix) % 2] ?? notSet) : notSet),
    ],
    [
      "currencyCode",
      "Currency",
      "The currency of the purchase.",
      (code) => (isEvent(code, "purchase") ? "EUR" : notSet),
    ],
  ]),
  ...dimensionFields("transaction", "Ecommerce", [
    [
      "transactionId",
      "Transaction ID",
      "The number of the order.",
      (code) => (code === 0 ? notSet : `T${code.toString(36).toUpperCase()}`),
    ],
  ]),
  ...dimensionFields(
    "item",
    "Ecommerce",
    [
      ["itemId", "Item ID", "The stock number of the item.", ofItem((each) => each.id)],
      ["itemName", "Item name", "The name of the item.", ofItem((each) => each.name)],
      ["itemBrand", "Item brand", "The brand of the item.", ofItem((each) => each.brand)],
      ["itemVariant", "Item variant", "The colour or size of the item.", ofItem((each) => each.variant)],
      ["itemCategory", "Item category", "The first category of the item.", ofItem((each) => each.category)],
      ["itemCategory2", "Item category 2", "The second category of the item.", ofItem((each) => each.category2)],
      ...[3, 4, 5].map(
        (level): DimensionRow => [
          `itemCategory${level}`,
          `Item category ${level}`,
          `Category ${level} of the item.`,
          () => notSet,
        ],
      ),
      ["itemListName", "Item list name", "The list that showed the item.", ofItem((each) => `${each.category} list`)],
    ],
    { scope: "item" },
  ),
];
