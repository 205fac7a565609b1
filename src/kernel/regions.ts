export const regions = ["us", "eu", "au"] as const;
export type Region = (typeof regions)[number];

export const isRegion = (word: string): word is Region => (regions as readonly string[]).includes(word);
