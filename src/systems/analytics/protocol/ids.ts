import * as z from "zod";

/** Ids as people write them, `1000` or `properties/1000`, and what they mistake for one. */

const mistaken: [RegExp, string][] = [
  [
    /^UA-/i,
    "is an id of the previous generation, Universal Analytics, whose historical data is inaccessible. Use the number of a Google Analytics 4 property.",
  ],
  [
    /^G-/i,
    "is a measurement id: it names a data stream. The property id is the number under Admin, Property, Property details.",
  ],
  [/^(?:GTM|GT|AW|DC)-/i, "is the id of a tag. The property id is the number under Admin, Property, Property details."],
];

const shown = (text: string): string => `\`${text.slice(0, 60)}\``;

function refuseProperty(text: string): string | null {
  if (/^(?:properties\/)?\d{1,20}$/.test(text)) return null;
  const [, why] = mistaken.find(([shape]) => shape.test(text)) ?? [];
  return why
    ? `${shown(text)} ${why}`
    : `${shown(text)} is no property id: write its number, such as \`1000\` or \`properties/1000\`.`;
}

const refuseAccount = (text: string): string | null =>
  /^(?:accounts\/)?\d{1,20}$/.test(text)
    ? null
    : `${shown(text)} is no account id: write its number, such as \`100\` or \`accounts/100\`.`;

const refusedBy = (refuse: (text: string) => string | null) =>
  z.string().superRefine((text, context) => {
    const message = refuse(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  });

export const PropertyId = refusedBy(refuseProperty).meta({
  title: "Property ID",
  description: "The number of the property, such as `1000`; `properties/1000` is read too.",
});

export const AccountId = refusedBy(refuseAccount).meta({
  title: "Account ID",
  description: "The number of the analytics account, such as `100`; `accounts/100` is read too.",
});

/** The last part of a name: `1000` of `properties/1000`, and `1000` of itself. */
export const idIn = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
