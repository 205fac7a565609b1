interface Page {
  results: unknown[];
  next: string | null;
}

/** The answer as a promise. Of a list, also its records one by one: the following pages are read when they are needed. */
export function listed(
  read: (page: { after?: string }) => Promise<unknown>,
): Promise<unknown> & AsyncIterable<unknown> {
  const first = read({});
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let page = (await first) as Page;
      if (!Array.isArray(page.results)) throw new TypeError("This operation returns no list.");
      for (;;) {
        yield* page.results;
        if (page.next === null) return;
        page = (await read({ after: page.next })) as Page;
      }
    },
  });
}
