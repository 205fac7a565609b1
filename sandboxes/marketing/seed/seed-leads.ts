import { dateOnly, leadTime } from "../gateway/times.ts";
import type { LeadValue } from "../leads/field-values.ts";
import { createLeadTable, type Lead, type LeadTable } from "../leads/lead-table.ts";
import { createRandom, type Random } from "./random.ts";

export const day = 86_400_000;
const leadCount = 5000;
const firstLeadId = 1001;
/** Every so many leads share the address of the one before, because real databases hold such pairs. */
const duplicateEvery = 1000;

const firstNames =
  "Ada Ben Carla Dmitri Elif Farah Goran Hana Ivo Jun Katya Liam Mei Nuno Olga Priya Quinn Rosa Sven Tala Umar Vera Wim Xenia Yusuf Zoe".split(
    " ",
  );
const lastNames =
  "Adler Brandt Castro Dahl Engel Fischer Garza Holm Ito Jansen Kaya Lund Moreau Novak Okafor Petrov Quist Rossi Silva Toth Ueda Vargas Weiss Xu Yilmaz Zeller".split(
    " ",
  );
const domains = ["example.com", "example.org", "example.net", "mail.example.com", "corp.example.org"];
const cities = [
  ["Oslo", "Norway"],
  ["Porto", "Portugal"],
  ["Denver", "United States"],
  ["Leeds", "United Kingdom"],
  ["Osaka", "Japan"],
  ["Graz", "Austria"],
] as const;
const companies = [
  "Northwind Mills",
  "Harbour Tools",
  "Alder Optics",
  "Kestrel Freight",
  "Blue Fern Foods",
  "Quarry Labs",
];
const industries = ["Manufacturing", "Software", "Logistics", "Retail", "Education"];
const titles = ["Engineer", "Buyer", "Director", "Analyst", "Founder", "Office Manager"];
const statuses = ["New", "Working", "Qualified", "Customer", "Recycled"];
const sources = ["Web Form", "Trade Show", "Referral", "List Import", "Webinar"];
const products = ["Lantern", "Compass", "Anchor", "Sextant"];

/** 5,000 people, made over the two years before `today`. */
export function leadsOf(today: number): readonly Omit<Lead, "id">[] {
  const random = createRandom(20_260_302);
  let address = "";
  return Array.from({ length: leadCount }, (_, index) => {
    const createdAt = today - 730 * day + Math.floor((index * 729 * day) / leadCount) + random.below(day / 2);
    const values = personalValues(random);
    const isDuplicate = index % duplicateEvery === duplicateEvery - 1;
    if (!isDuplicate)
      address = `${values.firstName}.${values.lastName ?? "x"}.${index + 1}@${random.pick(domains)}`.toLowerCase();
    if (index === 0 || !random.chance(1)) values.email = address;
    Object.assign(values, customValues(random, index, today));
    // Some have been worked on since; the log of activities tells what changed.
    const updatedAt = random.chance(30) ? createdAt + random.below(today - createdAt) : createdAt;
    return { createdAt, updatedAt, values };
  });
}

/** A table of its own, whose leads share their values with others until they change. */
export function seedLeads(people: readonly Omit<Lead, "id">[]): LeadTable {
  const leads = createLeadTable(firstLeadId);
  for (const { createdAt, updatedAt, values } of people) leads.add(values, createdAt).updatedAt = updatedAt;
  return leads;
}

function personalValues(random: Random): Record<string, LeadValue> {
  const [city, country] = random.pick(cities);
  const values: Record<string, LeadValue> = {
    firstName: random.pick(firstNames),
    company: random.pick(companies),
    industry: random.pick(industries),
    title: random.pick(titles),
    city,
    country,
    phone: `+1 555 01${String(random.below(100)).padStart(2, "0")}`,
    leadStatus: random.pick(statuses),
    leadSource: random.pick(sources),
    leadScore: random.below(100),
    numberOfEmployees: 5 + random.below(2000),
    isLead: true,
  };
  if (!random.chance(8)) values.lastName = random.pick(lastNames);
  if (random.chance(3))
    Object.assign(values, { unsubscribed: true, unsubscribedReason: "Asked on the preference page" });
  if (random.chance(1)) Object.assign(values, { emailInvalid: true, emailInvalidCause: "550 5.1.1 No such mailbox" });
  return values;
}

function customValues(random: Random, index: number, today: number): Record<string, LeadValue> {
  const values: Record<string, LeadValue> = {
    customerNumber: `C-${10_001 + index}`,
    favoriteProduct: random.pick(products),
    seats: 1 + random.below(250),
    engagementScore: random.below(500),
    betaTester: random.chance(12),
  };
  if (random.chance(60)) values.contractValue = Math.round(random.next() * 5_000_000) / 100;
  if (random.chance(40)) values.discountPercent = random.below(31);
  if (random.chance(50)) values.satisfaction = Math.round(random.next() * 50) / 10;
  if (random.chance(50)) values.renewalDate = dateOnly(today + random.below(365) * day);
  if (random.chance(30)) values.lastDemoAt = leadTime(today - random.below(400 * day));
  if (random.chance(5)) values.assistantEmail = `assistant.${index + 1}@example.com`;
  if (random.chance(10)) values.accountNotes = "Prefers a call in the morning.\nAsked for a quote.";
  if (random.chance(20)) values.profileUrl = `https://people.example.com/${index + 1}`;
  return values;
}
