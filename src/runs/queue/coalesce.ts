/**
 * Those who ask the same in the same turn of the event loop share one look, which begins after all of them have asked. So
 * nobody gets an answer that is older than their question.
 */
export function coalesce<Question, Answer>(
  keyOf: (question: Question) => string,
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = keyOf(question);
    const shared = asked.get(key);
    if (shared) return shared;
    const look = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      asked.delete(key);
      return ask(question);
    });
    asked.set(key, look);
    return look;
  };
}
