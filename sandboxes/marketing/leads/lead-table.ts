import { leadTime } from "../gateway/times.ts";
import type { LeadValue } from "./field-values.ts";
import { type Field, fieldsByName } from "./fields.ts";

export interface Lead {
  id: number;
  createdAt: number;
  updatedAt: number;
  /** Only what is set. Never changed in place: leads of other instances may have the same. */
  values: Readonly<Record<string, LeadValue>>;
}

/** All leads by id, in the order of their ids, found by e-mail without a search. */
export interface LeadTable {
  readonly size: number;
  find(id: number): Lead | null;
  all(): Iterable<Lead>;
  /** By any key field; e-mail addresses and other texts match in either case. */
  matching(field: Field, wanted: string[]): Lead[];
  add(values: Record<string, LeadValue>, at: number): Lead;
  /** Sets or clears one field; answers the value before, or undefined where nothing changed. */
  change(lead: Lead, field: Field, value: LeadValue | null): LeadValue | null | undefined;
  remove(id: number): boolean;
}

export function createLeadTable(firstId: number): LeadTable {
  const leads = new Map<number, Lead>();
  const byEmail = new Map<string, Lead[]>();
  let nextLeadId = firstId;

  function file(lead: Lead): void {
    const key = emailKey(lead);
    if (key === null) return;
    const same = byEmail.get(key);
    if (same) same.push(lead);
    else byEmail.set(key, [lead]);
  }

  function unfile(lead: Lead): void {
    const key = emailKey(lead);
    if (key === null) return;
    const others = (byEmail.get(key) ?? []).filter((each) => each !== lead);
    if (others.length > 0) byEmail.set(key, others);
    else byEmail.delete(key);
  }

  return {
    get size() {
      return leads.size;
    },
    find: (id) => leads.get(id) ?? null,
    all: () => leads.values(),
    matching(field, wanted) {
      const found = new Set<Lead>();
      if (field.name === "id") {
        for (const id of wanted) addAll(found, leads.get(Number(id)));
      } else if (field.name === "email") {
        for (const email of wanted) addAll(found, ...(byEmail.get(email.toLowerCase()) ?? []));
      } else {
        const keys = new Set(wanted.map((text) => text.toLowerCase()));
        for (const lead of leads.values()) {
          const value = leadValue(lead, field);
          if (value !== null && keys.has(String(value).toLowerCase())) found.add(lead);
        }
      }
      return [...found].sort((a, b) => a.id - b.id);
    },
    add(values, at) {
      const lead = { id: nextLeadId++, createdAt: at, updatedAt: at, values };
      leads.set(lead.id, lead);
      file(lead);
      return lead;
    },
    change(lead, field, value) {
      const before = lead.values[field.name] ?? null;
      if (before === value || (before === null && value === false)) return undefined;
      if (field.name === "email") unfile(lead);
      const { [field.name]: _cleared, ...others } = lead.values;
      lead.values = value === null ? others : { ...others, [field.name]: value };
      if (field.name === "email") file(lead);
      return before;
    },
    remove(id) {
      const lead = leads.get(id);
      if (!lead) return false;
      unfile(lead);
      return leads.delete(id);
    },
  };
}

const emailKey = ({ values }: Lead) => (typeof values.email === "string" ? values.email.toLowerCase() : null);

function addAll(found: Set<Lead>, ...leads: (Lead | undefined)[]): void {
  for (const lead of leads) if (lead) found.add(lead);
}

/** As it goes out: unset is an explicit null, except that an unset yes-or-no is no. */
export function leadValue(lead: Lead, field: Field): LeadValue | null {
  switch (field.name) {
    case "id":
      return lead.id;
    case "createdAt":
      return leadTime(lead.createdAt);
    case "updatedAt":
      return leadTime(lead.updatedAt);
    case "mktoName":
      return nameOf(lead);
    case "leadPartitionId":
      return 1;
    default:
      return lead.values[field.name] ?? (field.type === "boolean" ? false : null);
  }
}

export function nameOf({ values }: Lead): string | null {
  return [values.firstName, values.lastName].filter((part) => part !== undefined).join(" ") || null;
}

const defaultNames = ["id", "firstName", "lastName", "email", "updatedAt", "createdAt"];
export const defaultFields = defaultNames.map((name) => fieldsByName.get(name) as Field);
