/** Words that tests ask reports with. */
export const days = (startDate: string, endDate: string) => ({ dateRanges: [{ startDate, endDate }] });

export const september = days("2026-09-01", "2026-09-30");

export const names = (...list: string[]) => list.map((name) => ({ name }));

/** A question that every property answers, for tests that spoil one thing about it. */
export const week = days("7daysAgo", "yesterday");
export const good = { metrics: names("sessions"), ...week };
export const reportPath = "/v1beta/properties/1000:runReport";

export const text = (fieldName: string, value: string, matchType = "EXACT") => ({
  filter: { fieldName, stringFilter: { matchType, value } },
});

export const sumOf = (rows: (string | number)[][], column: number): number =>
  rows.reduce((sum, row) => sum + Number(row[column]), 0);
