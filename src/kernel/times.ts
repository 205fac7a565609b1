/** Times are kept and compared as ISO-8601 text. A year of five digits would stand before all others, so none has one. */
export const lastMoment = Date.parse("9999-12-31T23:59:59.999Z");
