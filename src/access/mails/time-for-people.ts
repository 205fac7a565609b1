const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** "Tuesday, 17 November 2026, 14:05 UTC". A mail does not know where its reader is, so it names the zone. */
export function timeForPeople(iso: string): string {
  const at = new Date(iso);
  const date = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return `${weekdays[at.getUTCDay()]}, ${date}, ${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())} UTC`;
}

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : `${number}`);
