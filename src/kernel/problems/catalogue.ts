/** What is told of a code: its status, its title, the general sentence, and what to do next. */
export type Catalogue = Record<string, { status: number; title: string; means: string; remedy: string }>;
