import { plans } from "../events/site.ts";
import { type Dimension, notSet } from "./dimension.ts";
import { ofItem, parameter } from "./dimension-table.ts";

/** The property's own definitions: an event parameter, a user property, an item parameter. */
export const customDimensions: Dimension[] = [
  {
    apiName: "customEvent:plan",
    uiName: "Plan",
    category: "Custom",
    description: "The plan chosen at sign-up.",
    isCustom: true,
    column: "eventDetail",
    label: parameter(["sign_up"], plans),
  },
  {
    apiName: "customUser:tier",
    uiName: "Customer tier",
    category: "Custom",
    description: "The tier of the customer.",
    isCustom: true,
    column: "traits",
    label: (code) => ["bronze", "silver", "gold", notSet][code % 4] ?? notSet,
  },
  {
    apiName: "customItem:material",
    uiName: "Material",
    category: "Custom",
    description: "What the item is made of.",
    isCustom: true,
    scope: "item",
    column: "item",
    label: ofItem((each) => (each.category === "Bags" ? "canvas" : each.category === "Clothing" ? "wool" : notSet)),
  },
];
