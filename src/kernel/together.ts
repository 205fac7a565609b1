/**
 * What arrives in one turn of the event loop goes on together, when all of it is there. Done one by one, the whole way of each
 * request drives the code of the one before it out of the processor's caches; together they go it step by step. Measured on
 * an API Call step, 32 connections: 0.7 of the CPU.
 */
export function together<T>(goOn: (item: T) => void): (item: T) => void {
  let arrived: T[] = [];
  function goOnWithAll(): void {
    const all = arrived;
    arrived = [];
    for (const item of all) goOn(item);
  }
  return (item) => {
    if (arrived.push(item) === 1) setImmediate(goOnWithAll);
  };
}
