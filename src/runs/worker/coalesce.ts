/**
 * Callers with the same question in one turn of the event loop share one read. The read starts after all of them have
 * asked, so no caller gets an answer that is older than its question.
 */
export function coalesce<Question, Answer>(
  keyOf: (question: Question) => string,
  read: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const pending = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = keyOf(question);
    const shared = pending.get(key);
    if (shared) return shared;
    const started = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      pending.delete(key);
      return read(question);
    });
    pending.set(key, started);
    return started;
  };
}
