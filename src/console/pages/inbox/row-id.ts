/** The id of an item's row in the page. */
export const rowId = (key: string): string => `inbox-${key}`;
