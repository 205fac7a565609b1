import { activeUsers, euroRatio, euros, eventsNamed, first, type Metric, ratio, sumOf, usersWith } from "./metric.ts";
import { metricFields as fields } from "./metric-table.ts";
import type { Primitive } from "./primitives.ts";

const paid = sumOf("cents", "purchase");
const refunded = sumOf("cents", "refund");
const purchases = eventsNamed("purchase");
const buyers = usersWith("purchase");
const viewers = usersWith("view_item");
const newBuyers: Primitive = {
  key: "new buyers",
  counts: {
    kind: "users",
    when: (set) => {
      const isPurchase = purchases.counts.kind === "events" ? purchases.counts.when(set) : null;
      return (event) => set.sessions.isNew[set.events.session[event] ?? 0] === 1 && (isPurchase?.(event) ?? false);
    },
  },
};
const minus = ([whole = 0, part = 0]: number[]): number => (whole - part) / 100;
const minusPer = ([whole = 0, part = 0, people = 0]: number[]): number =>
  people === 0 ? 0 : (whole - part) / people / 100;
const nothing = () => 0;

/** Money and orders. */
export const revenueMetrics: Metric[] = [
  ...fields(
    "Revenue",
    [
      [
        "totalRevenue",
        "Total revenue",
        "CURRENCY",
        "Purchases and advertising, less refunds.",
        [paid, refunded],
        minus,
      ],
      ["purchaseRevenue", "Purchase revenue", "CURRENCY", "Purchases less refunds.", [paid, refunded], minus],
      [
        "grossPurchaseRevenue",
        "Gross purchase revenue",
        "CURRENCY",
        "Purchases, refunds not taken off.",
        [paid],
        euros,
      ],
      ["refundAmount", "Refund amount", "CURRENCY", "Money given back.", [refunded], euros],
      ["totalAdRevenue", "Total ad revenue", "CURRENCY", "Earned by showing advertisements.", [], nothing],
      [
        "shippingAmount",
        "Shipping amount",
        "CURRENCY",
        "Paid for shipping, 4.90 an order.",
        [purchases],
        ([orders = 0]) => (orders * 490) / 100,
      ],
      [
        "taxAmount",
        "Tax amount",
        "CURRENCY",
        "Tax contained in purchases.",
        [paid],
        ([cents = 0]) => Math.round(cents / 6) / 100,
      ],
      [
        "averagePurchaseRevenue",
        "Average purchase revenue",
        "CURRENCY",
        "Mean value of an order.",
        [paid, purchases],
        euroRatio,
      ],
      [
        "averagePurchaseRevenuePerUser",
        "Average purchase revenue per active user",
        "CURRENCY",
        "Purchases for each active user.",
        [paid, activeUsers],
        euroRatio,
      ],
      [
        "averagePurchaseRevenuePerPayingUser",
        "ARPPU",
        "CURRENCY",
        "Purchases for each user who bought.",
        [paid, buyers],
        euroRatio,
      ],
      [
        "averageRevenuePerUser",
        "ARPU",
        "CURRENCY",
        "Revenue for each active user.",
        [paid, refunded, activeUsers],
        minusPer,
      ],
    ],
    { restricted: "REVENUE_DATA" },
  ),
  ...fields("Ecommerce", [
    ["transactions", "Transactions", "INTEGER", "Orders with revenue.", [purchases], first],
    ["ecommercePurchases", "Ecommerce purchases", "INTEGER", "Purchases completed.", [purchases], first],
    [
      "addToCarts",
      "Add to carts",
      "INTEGER",
      "Times an item was put into the basket.",
      [eventsNamed("add_to_cart")],
      first,
    ],
    ["checkouts", "Checkouts", "INTEGER", "Times a checkout began.", [eventsNamed("begin_checkout")], first],
    ["totalPurchasers", "Total purchasers", "INTEGER", "People who bought.", [buyers], first],
    [
      "firstTimePurchasers",
      "First time purchasers",
      "INTEGER",
      "People who bought on their first visit.",
      [newBuyers],
      first,
    ],
    ["purchaserRate", "Purchaser rate", "FLOAT", "Share of active users who bought.", [buyers, activeUsers], ratio],
    [
      "firstTimePurchaserRate",
      "First-time purchaser rate",
      "FLOAT",
      "Share of active users who bought on their first visit.",
      [newBuyers, activeUsers],
      ratio,
    ],
    [
      "transactionsPerPurchaser",
      "Transactions per purchaser",
      "FLOAT",
      "Orders for each buyer.",
      [purchases, buyers],
      ratio,
    ],
    [
      "cartToViewRate",
      "Cart-to-view rate",
      "FLOAT",
      "Share of viewers who filled the basket.",
      [usersWith("add_to_cart"), viewers],
      ratio,
    ],
    ["purchaseToViewRate", "Purchase-to-view rate", "FLOAT", "Share of viewers who bought.", [buyers, viewers], ratio],
    [
      "promotionViews",
      "Promotion views",
      "INTEGER",
      "Times a promotion was shown.",
      [eventsNamed("view_promotion")],
      first,
    ],
    [
      "promotionClicks",
      "Promotion clicks",
      "INTEGER",
      "Times a promotion was chosen.",
      [eventsNamed("select_promotion")],
      first,
    ],
    [
      "itemListClickThroughRate",
      "Item list click through rate",
      "FLOAT",
      "Share of list viewers who chose an item.",
      [usersWith("select_item"), usersWith("view_item_list")],
      ratio,
    ],
    [
      "itemPromotionClickThroughRate",
      "Item promotion click through rate",
      "FLOAT",
      "Share of promotion viewers who chose it.",
      [usersWith("select_promotion"), usersWith("view_promotion")],
      ratio,
    ],
  ]),
];
