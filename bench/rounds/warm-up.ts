const secondsEach = 2;
const patience = 4;
const triesMax = 12;

/**
 * Until its code is compiled a server is measured cold, and the colder the more code it has: go on while it improves. That
 * goes by steps with seconds of nothing between them, so it has come to its end when eight seconds have brought nothing.
 */
export async function untilWarm(measure: (seconds: number) => Promise<{ perSecond: number }>): Promise<void> {
  let best = 0;
  let since = 0;
  for (let tries = 1; tries <= triesMax && since < patience; tries++) {
    const { perSecond } = await measure(secondsEach);
    since = perSecond > best * 1.02 ? 0 : since + 1;
    best = Math.max(best, perSecond);
  }
}
