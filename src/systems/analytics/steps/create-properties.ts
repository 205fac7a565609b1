import * as z from "zod";
import { nearest } from "../../../kernel/nearest-names.ts";
import { step } from "../../define.ts";
import { isMadeThen } from "../../made-then.ts";
import { allPages, pageCaps } from "../../read-pages.ts";
import { type StepRequest, send } from "../../work.ts";
import { currencies, isCurrency } from "../options/currencies.ts";
import { industryCategories } from "../options/industry-categories.ts";
import { accounts, currencyOptions, listed } from "../options/options.ts";
import { isTimeZone } from "../protocol/date-ranges.ts";
import { AccountId, idIn } from "../protocol/ids.ts";
import { listPaging } from "../protocol/list-paging.ts";
import { type Members, membersOf, textOf } from "../protocol/vendor-json.ts";
import { propertyName, renamedName } from "../protocol/written-names.ts";
import { analytics } from "../system.ts";

const timeZones = Intl.supportedValuesOf("timeZone");

/** A valid name in other case is refused: the system compares names exactly. */
function refuseTimeZone(name: string): string | null {
  const folded = name.toLowerCase();
  const spelled = timeZones.find((zone) => zone.toLowerCase() === folded);
  if (spelled === undefined ? isTimeZone(name) : spelled === name) return null;
  return `Use a name of the IANA time zone database${didYouMean(name, timeZones)}, such as Europe/Paris.`;
}

const refuseCurrency = (code: string): string | null =>
  isCurrency(code) ? null : `Use a code of ISO 4217${didYouMean(code, currencies)}, such as EUR.`;

function didYouMean(written: string, known: readonly string[]): string {
  const [name] = nearest(
    written,
    known.map((each) => ({ name: each })),
    1,
  );
  return name === undefined ? "" : ` (did you mean ${name}?)`;
}

const checked = (refuse: (text: string) => string | null) =>
  z.string().superRefine((text, context) => {
    const message = refuse(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  });

const input = z.strictObject({
  account_id: AccountId,
  display_name: z
    .string()
    .max(100)
    // The system counts UTF-16 units; an emoji has two.
    .refine((name) => name.length <= 100, "At most 100 characters; pictures and rare scripts count twice.")
    .refine((name) => name.trim() !== "", "Give it a name.")
    .meta({ title: "Display name", description: "What people see; at most 100 characters. It need not be unique." }),
  time_zone: checked(refuseTimeZone).meta({
    title: "Time zone",
    description: "Where the days of its reports begin: a name of the IANA database, such as `Europe/Paris`.",
  }),
  currency_code: checked(refuseCurrency).meta({
    title: "Currency code",
    description: "Of amounts of money in its reports: three letters of ISO 4217, such as `EUR`.",
  }),
  industry_category: z.enum(industryCategories).optional().meta({
    title: "Industry category",
    description: "For benchmarking.",
  }),
});

type Wish = z.output<typeof input>;

const output = z.object({
  property_id: z.string().meta({ title: "Property ID", description: "The number of the new property." }),
  display_name: z.string().meta({ title: "Display name", description: "As the system keeps it." }),
  next_step: z.string().meta({ title: "Next step", description: "What is still needed before data is collected." }),
});

const createRequest = (wish: Wish): StepRequest => ({
  method: "POST",
  api: "admin",
  path: "/v1beta/properties",
  body: {
    parent: `accounts/${idIn(wish.account_id)}`,
    displayName: wish.display_name,
    timeZone: wish.time_zone,
    currencyCode: wish.currency_code,
    ...(wish.industry_category === undefined ? {} : { industryCategory: wish.industry_category }),
  },
  effect: "create",
  idempotent: false,
});

/** "A created property is not tied to a website. A data stream must be set up separately before data is collected." */
function toOutput(property: Members) {
  const id = idIn(textOf(property.name));
  return {
    property_id: id,
    display_name: textOf(property.displayName),
    next_step: `Set up a data stream: nothing is collected before. With the API Call step: POST v1beta/properties/${id}/dataStreams with {"type": "WEB_DATA_STREAM", "displayName": "…", "webStreamData": {"defaultUri": "https://…"}}.`,
  };
}

export const createProperties = step({
  id: "create_properties",
  title: "Create properties",
  summary: "Creates a property in an analytics account.",
  forModels:
    "Use this to create a property, the container for the data of one website or app. It collects nothing until a data stream is set up, as `next_step` says. " +
    "Names need not be unique, so calling it twice makes two. The connected account needs Administrator on the analytics account.",
  words: ["property", "new property", "website", "site", "set up", "ga4 property"],
  system: analytics,
  effect: "create",
  needsLevel: "administrator",
  input,
  output,
  examples: [
    {
      title: "A property for a shop in Paris",
      input: {
        account_id: "100",
        display_name: "Paris shop",
        time_zone: "Europe/Paris",
        currency_code: "EUR",
        industry_category: "SHOPPING",
      },
    },
    {
      title: "The least that is needed",
      input: {
        account_id: "accounts/100",
        display_name: "Field notes",
        time_zone: "America/New_York",
        currency_code: "USD",
      },
    },
  ],
  options: {
    account_id: accounts,
    time_zone: listed(() => timeZones.map((name) => ({ value: name, label: name.replaceAll("_", " ") }))),
    currency_code: currencyOptions,
    industry_category: listed(() => industryCategories.map((name) => ({ value: name, label: inWords(name) }))),
  },
  *work(wish) {
    const { body } = yield* send(createRequest(wish));
    return { output: toOutput(membersOf(body)) };
  },
  ambiguousNames: ({ account_id, display_name }) => [propertyName(account_id, display_name)],
  *reconcile(wish, context) {
    const filter = `parent:accounts/${idIn(wish.account_id)}`;
    const list = { of: filter, maxItems: pageCaps.items };
    const { items, next } = yield* allPages(listPaging("/v1beta/properties", { filter }), list);
    const named = items.map(membersOf).filter((each) => each.displayName === wish.display_name);
    const [found, ...others] = named.filter((each) => isMadeThen(each.createTime, context) !== "no");
    if (others.length > 0 || next !== null) return "cannot tell";
    if (found === undefined) return "did not";
    return isMadeThen(found.createTime, context) === "yes"
      ? { output: toOutput(found), names: [renamedName(textOf(found.name), wish.display_name)] }
      : "cannot tell";
  },
  cost: () => ({ calls: 1 }),
});

const inWords = (name: string): string => {
  const words = name.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
