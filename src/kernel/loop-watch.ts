/**
 * One event loop serves everybody. Whoever begins or takes up a piece of work says so in passing, with `mark`; where the loop then
 * stands still for long, the watch knows whose work it was. A mark is two assignments and a look at the clock.
 */

/** Whose work it is: ids and words of our own, never anything that a caller or a system wrote. */
export interface Work {
  operation?: string | undefined;
  organizationId?: string | undefined;
  projectId?: string | undefined;
  runId?: string | undefined;
  stepId?: string | undefined;
}

/** The loop did nothing but one turn for so long. */
export interface LoopPause {
  seconds: number;
  /** What this thread computed meanwhile. Much less than `seconds` means that the machine was busy with something else. */
  cpuSeconds: number;
  /** The stretch between two marks that took longest, and how much of the pause it was. */
  doing: string;
  work: Work;
  share: number;
  at: Date;
}

export interface LoopWatch {
  /** The longest since the start. */
  worst(): LoopPause | null;
  stop(): void;
}

const nobody: Work = {};
const unmarked = "unmarked work";
const tickMilliseconds = 25;
export const pauseMillisecondsMin = 250;

let doing = unmarked;
let work = nobody;
let since = 0;
let longest = { milliseconds: 0, doing, work };

/** From here on, until the next mark, the thread does this for them. */
export function mark(nowDoing: string, nowFor: Work): void {
  const now = performance.now();
  if (now - since > longest.milliseconds) longest = { milliseconds: now - since, doing, work };
  doing = nowDoing;
  work = nowFor;
  since = now;
}

/** Tells of every pause above a quarter of a second, when it is over. */
export function watchLoop(onPause: (pause: LoopPause) => void): LoopWatch {
  let worst: LoopPause | null = null;
  let lastTick = performance.now();
  let cpuBefore = cpuMilliseconds();

  function tick(): void {
    // Closes the stretch that is under way. Whoever goes on after this tick marks it again.
    mark(unmarked, nobody);
    const now = performance.now();
    const cpu = cpuMilliseconds();
    const milliseconds = now - lastTick - tickMilliseconds;
    if (milliseconds > pauseMillisecondsMin) {
      const pause: LoopPause = {
        seconds: milliseconds / 1000,
        cpuSeconds: (cpu - cpuBefore) / 1000,
        doing: longest.doing,
        work: longest.work,
        share: Math.min(1, longest.milliseconds / milliseconds),
        at: new Date(),
      };
      if (!worst || pause.seconds > worst.seconds) worst = pause;
      onPause(pause);
    }
    longest = { milliseconds: 0, doing: unmarked, work: nobody };
    lastTick = now;
    cpuBefore = cpu;
  }

  mark(unmarked, nobody);
  longest = { milliseconds: 0, doing: unmarked, work: nobody };
  const timer = setInterval(tick, tickMilliseconds);
  timer.unref();
  return { worst: () => worst, stop: () => clearInterval(timer) };
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
