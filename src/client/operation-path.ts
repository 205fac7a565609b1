/** How `signalbox.users.update(userId, …)` names the operation `auth/users/{user_id}/update`. */

/** Groups whose operations stand under `auth/`. */
const underAuth = new Set(
  "assistants codes confirm info invite keys passkeys password security service_users sessions sign_in sign_out sign_up users".split(
    " ",
  ),
);

/** The ids of these stand elsewhere than before the last word. */
const irregular: Record<string, string> = { "agents/conversations/list": "agents/{}/conversations/list" };

const inSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The path of an operation, `{}` for each id: the last id stands before the last word, the one before it before the word before. */
export function pathOf(names: readonly string[], idCount: number): string {
  const [first = "", ...others] = names.map(inSnakeCase);
  const words = [first === "invites" ? "invite" : first, ...others];
  const plain = words.join("/");
  const template = irregular[plain] ?? withIds(words, idCount);
  return `/latest/${underAuth.has(words[0] ?? "") ? "auth/" : ""}${template}`;
}

const withIds = (words: readonly string[], idCount: number): string =>
  words.map((word, index) => (index >= words.length - idCount ? `{}/${word}` : word)).join("/");
