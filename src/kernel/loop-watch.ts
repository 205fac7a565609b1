/**
 * One event loop serves every tenant. Code that begins or continues a piece of work calls `mark`. When the loop then
 * stands still, the watch knows whose work it was. A mark is two assignments and a read of the clock.
 */

/** Whose work it is: ids and words of our own, never text of a caller or a system. */
export interface Work {
  operation?: string | undefined;
  organizationId?: string | undefined;
  projectId?: string | undefined;
  runId?: string | undefined;
  stepId?: string | undefined;
}

/** One turn of the loop took this long. */
export interface LoopPause {
  seconds: number;
  /**
   * CPU time of this thread meanwhile. Much less than `seconds` means that the machine was busy with something else.
   */
  cpuSeconds: number;
  /** The longest stretch between two marks, and its share of the pause. */
  doing: string;
  work: Work;
  share: number;
  at: Date;
}

export interface LoopWatch {
  /** The longest pause since the start. */
  worst(): LoopPause | null;
  stop(): void;
}

const noWork: Work = {};
const unmarked = "unmarked work";
const tickMilliseconds = 25;
export const pauseMillisecondsMin = 250;

let doing = unmarked;
let work = noWork;
let since = 0;
let longest = { milliseconds: 0, doing, work };

/** From here until the next mark, the thread does this work. */
export function mark(nowDoing: string, nowFor: Work): void {
  const now = performance.now();
  if (now - since > longest.milliseconds) longest = { milliseconds: now - since, doing, work };
  doing = nowDoing;
  work = nowFor;
  since = now;
}

/** Reports every pause above a quarter of a second when it is over. */
export function watchLoop(onPause: (pause: LoopPause) => void): LoopWatch {
  let worst: LoopPause | null = null;
  let lastTick = performance.now();
  let cpuBefore = cpuMilliseconds();

  function tick(): void {
    // Closes the current stretch. Work that continues after this tick marks itself again.
    mark(unmarked, noWork);
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
    longest = { milliseconds: 0, doing: unmarked, work: noWork };
    lastTick = now;
    cpuBefore = cpu;
  }

  mark(unmarked, noWork);
  longest = { milliseconds: 0, doing: unmarked, work: noWork };
  const timer = setInterval(tick, tickMilliseconds);
  timer.unref();
  return { worst: () => worst, stop: () => clearInterval(timer) };
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
