/** The web shop whose visits the events tell of: what it sells, its pages, and what can happen on them. */
export interface Item {
  id: string;
  name: string;
  brand: string;
  category: string;
  category2: string;
  variant: string;
  priceCents: number;
}

const products: [string, string, string, string, number][] = [
  ["Field Bag", "Bags", "Shoulder bags", "Olive", 8900],
  ["Field Bag Mini", "Bags", "Shoulder bags", "Sand", 6400],
  ["Canvas Tote", "Bags", "Totes", "Natural", 3200],
  ["Market Tote", "Bags", "Totes", "Black", 3600],
  ["Day Pack", "Bags", "Backpacks", "Slate", 9900],
  ["Alpine Pack", "Bags", "Backpacks", "Orange", 14900],
  ["Roll Top", "Bags", "Backpacks", "Navy", 11900],
  ["Rain Shell", "Clothing", "Jackets", "Yellow", 12900],
  ["Wind Shirt", "Clothing", "Jackets", "Blue", 7900],
  ["Wool Sweater", "Clothing", "Knitwear", "Grey", 9500],
  ["Wool Beanie", "Clothing", "Knitwear", "Rust", 2900],
  ["Work Shirt", "Clothing", "Shirts", "Indigo", 6900],
  ["Linen Shirt", "Clothing", "Shirts", "White", 7200],
  ["Trail Sock", "Clothing", "Socks", "Green", 1400],
  ["Enamel Mug", "Home", "Kitchen", "White", 1600],
  ["Steel Bottle", "Home", "Kitchen", "Silver", 2800],
  ["Camp Stove", "Outdoor", "Cooking", "(not set)", 5900],
  ["Cook Set", "Outdoor", "Cooking", "(not set)", 4900],
  ["Head Lamp", "Outdoor", "Light", "Black", 3900],
  ["Lantern", "Outdoor", "Light", "Red", 4500],
  ["Two Person Tent", "Outdoor", "Shelter", "Green", 24900],
  ["Tarp", "Outdoor", "Shelter", "Brown", 7900],
  ["Hammock", "Outdoor", "Shelter", "Blue", 6900],
  ["Gift Card", "Gifts", "Cards", "(not set)", 5000],
];

export const items: Item[] = products.map(([name, category, category2, variant, priceCents], index) => ({
  id: `SKU-${1001 + index}`,
  name,
  brand: index % 4 === 3 ? "Northwind" : "Fieldwork",
  category,
  category2,
  variant,
  priceCents,
}));

export interface Page {
  path: string;
  title: string;
  group: string;
  type: string;
}

const slug = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
const categories = ["Bags", "Clothing", "Outdoor", "Home", "Gifts"];
const articles = [
  "Packing light",
  "Care for canvas",
  "Five day walks",
  "Sleeping under a tarp",
  "Repair a zip",
  "Our workshop",
];

export const pages: Page[] = [
  { path: "/", title: "Fieldwork, bags and things for outdoors", group: "home", type: "home" },
  ...categories.map((name) => ({
    path: `/shop/${slug(name)}`,
    title: `${name} | Fieldwork`,
    group: "shop",
    type: "category",
  })),
  ...items.map(({ name, category }) => ({
    path: `/shop/${slug(category)}/${slug(name)}`,
    title: `${name} | Fieldwork`,
    group: "shop",
    type: "product",
  })),
  ...articles.map((name) => ({
    path: `/journal/${slug(name)}`,
    title: `${name} | Journal`,
    group: "journal",
    type: "article",
  })),
  { path: "/search", title: "Search | Fieldwork", group: "(not set)", type: "search" },
  { path: "/basket", title: "Basket | Fieldwork", group: "checkout", type: "basket" },
  { path: "/checkout", title: "Checkout | Fieldwork", group: "checkout", type: "checkout" },
  { path: "/checkout/thanks", title: "Thank you | Fieldwork", group: "checkout", type: "thanks" },
  { path: "/account", title: "Your account | Fieldwork", group: "account", type: "account" },
  { path: "/account/join", title: "(not set)", group: "account", type: "account" },
  { path: "/contact", title: "Contact | Fieldwork", group: "help", type: "contact" },
  { path: "/help/sizes", title: "Sizes | Fieldwork", group: "help", type: "help" },
];

export const pageNumber = (path: string): number => pages.findIndex((page) => page.path === path);
export const categoryPages = categories.map((name) => pageNumber(`/shop/${slug(name)}`));
export const articlePages = articles.map((name) => pageNumber(`/journal/${slug(name)}`));
export const itemPages = items.map(({ name, category }) => pageNumber(`/shop/${slug(category)}/${slug(name)}`));

export const eventNames = [
  "session_start",
  "first_visit",
  "page_view",
  "user_engagement",
  "scroll",
  "click",
  "view_search_results",
  "file_download",
  "view_item_list",
  "select_item",
  "view_item",
  "add_to_cart",
  "begin_checkout",
  "purchase",
  "refund",
  "sign_up",
  "login",
  "generate_lead",
  "view_promotion",
  "select_promotion",
] as const;
export type EventName = (typeof eventNames)[number];
export const eventCode = (name: EventName): number => eventNames.indexOf(name);

/** What an event says beyond its name, by a small number: a search term, a link, a file, a coupon, a plan. */
export const searchTerms = ["tent", "tote", "rain jacket", "mug", "gift", "backpack 20l", "socks", "size guide"];
export const links = [
  "https://www.instagram.com/fieldwork.example",
  "https://carrier.example/track",
  "https://map.example/workshop",
];
export const files = ["size-chart.pdf", "care-guide.pdf", "tent-manual.pdf"];
export const coupons = ["(not set)", "(not set)", "(not set)", "WELCOME10", "AUTUMN"];
export const plans = ["basic", "basic", "plus", "pro"];
export const promotions = ["Autumn sale", "Free repair"];
export const shippingTiers = ["Standard", "Express"];
