/**
 * The passwords that attackers try first, as far as they are long enough. People append a year or an exclamation mark,
 * so only the word is listed.
 */
const words = [
  "password",
  "passwort",
  "passw0rd",
  "p@ssword",
  "p@ssw0rd",
  "qwertyuiop",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qazwsxedc",
  "1q2w3e4r5t",
  "1q2w3e4r5t6y",
  "1qaz2wsx",
  "1qaz2wsx3edc",
  "qwerty",
  "abc",
  "abcd",
  "abcdef",
  "abcdefgh",
  "abcdefghij",
  "abcdefghijkl",
  "abcdefghijklmnopqrstuvwxyz",
  "administrator",
  "administration",
  "admin",
  "letmein",
  "welcome",
  "changeme",
  "iloveyou",
  "ihateyou",
  "princess",
  "sunshine",
  "football",
  "baseball",
  "superman",
  "batman",
  "dragon",
  "monkey",
  "trustno",
  "whatever",
  "secret",
  "default",
  "example",
  "signalbox",
  "company",
  "summer",
  "winter",
  "spring",
  "autumn",
  "correcthorsebatterystaple",
];
const common = new Set(words);
const charactersApartMin = 5;

/** Why this password is weak, or null. The person's address is public, so `email` must not be the password. */
export function weaknessOf(password: string, email: string): string | null {
  const folded = password.normalize("NFKC").toLowerCase();
  if (new Set(folded).size < charactersApartMin) return "It repeats a few characters only.";
  if (isSequence(folded)) return "It is a row of characters that everyone knows.";
  // The lookbehinds start each match at the first character of a run, so that the replacements stay linear.
  const word = folded.replace(/^[^\p{L}]+|(?<=\p{L})[^\p{L}]+$/gu, "");
  const bare = folded.replace(/(?<![\d\s!-/:-@[-`{-~])[\d\s!-/:-@[-`{-~]+$/, "");
  const candidates = [folded, word, bare, half(folded), half(word), half(bare)];
  if (candidates.some((each) => common.has(each))) return "It is one of the most common passwords.";
  const [name = "", domain = ""] = email.toLowerCase().split("@");
  const known = [email.toLowerCase(), name, domain, domain.split(".")[0] ?? ""].filter((each) => each.length > 2);
  if (known.some((each) => [folded, word, bare, half(folded)].includes(each))) return "It is your own address.";
  return null;
}

/** «passwordpassword» is «password». */
function half(text: string): string {
  const middle = text.length / 2;
  return text.slice(0, middle) === text.slice(middle) ? text.slice(0, middle) : text;
}

/** 1234567890…, upwards or downwards. */
function isSequence(text: string): boolean {
  const steps = new Set<number>();
  for (let i = 1; i < text.length; i++) steps.add((text.charCodeAt(i) - text.charCodeAt(i - 1) + 10) % 10);
  return /^\d+$/.test(text) && steps.size === 1;
}
