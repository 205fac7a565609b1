import type { Store } from "../../../src/store/db.ts";

/** Some rows of a store of the previous version, in the tables that most others refer to. */
const rows: Readonly<Record<string, Record<string, string | number>>> = {
  organizations: {
    id: "org",
    name: "Müller & Söhne",
    project_creation: "admins",
    keys_on_reactivation: "keep",
    created_at: "2026-01-01T00:00:00.000Z",
  },
  projects: {
    id: "prj",
    organization_id: "org",
    name: "P",
    description: 'it\'s "quoted"',
    created_by: "usr",
    created_at: "2026",
    updated_at: "2026",
  },
  invites: {
    code: "inv",
    project_id: "prj",
    email: "a@example.org",
    email_key: "a@example.org",
    actions: "admin",
    role: "admin",
    status: "pending",
    invited_by: "usr",
    created_at: "2026",
    expires_at: "2026",
    sent_at: "2026",
    sent_count: 1,
  },
  audit_log: {
    organization_id: "org",
    seq: 1,
    at: "2026",
    action: "it.happened",
    actor_kind: "system",
    details: "{}",
    prev_hash: "",
    hash: "",
  },
};

export const fillPrevious = (store: Store): Promise<void> =>
  store.transaction(async (db) => {
    for (const [table, row] of Object.entries(rows)) {
      const names = Object.keys(row);
      const places = names.map((_, index) => `$${index + 1}`);
      await db.query(`insert into ${table} (${names}) values (${places})`, Object.values(row));
    }
  });

/** The values that were filled in, as text. */
export async function rowsOf(store: Store): Promise<string> {
  const found: unknown[] = [];
  for (const [table, row] of Object.entries(rows)) {
    found.push(await store.query(`select ${Object.keys(row)} from ${table}`));
  }
  return JSON.stringify(found);
}

/** Every table with its columns, and every index, as text. */
export async function schemaOf(store: Store): Promise<string> {
  if (store.kind === "sqlite")
    return JSON.stringify(await store.query("select type, name, sql from sqlite_master order by type, name"));
  return JSON.stringify([
    await store.query(
      `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
        where table_schema = 'public' order by table_name, column_name`,
    ),
    await store.query("select tablename, indexdef from pg_indexes where schemaname = 'public' order by indexname"),
    await store.query(
      `select conrelid::regclass::text as of, conname, pg_get_constraintdef(oid) as rule from pg_constraint
        where connamespace = 'public'::regnamespace order by conrelid::regclass::text, conname`,
    ),
    await store.query(
      "select tgrelid::regclass::text as of, tgname from pg_trigger where not tgisinternal order by 1, 2",
    ),
  ]);
}
