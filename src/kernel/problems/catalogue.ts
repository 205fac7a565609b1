/** A code's status, title, general sentence and remedy. */
export type Catalogue = Record<string, { status: number; title: string; means: string; remedy: string }>;
