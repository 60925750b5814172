import type { Clock, Timer } from "../time/clock.ts";

interface IdleOptions {
  /** Drops entries that were not used since the last call. */
  readonly forget: () => void;
  /** Whether that is also done every fifteen minutes during work; default true. */
  readonly isDueInWork?: boolean;
  /** Limit of the processor's share in a sample: a process below it is idle; default 0.05. */
  readonly idleShare?: number;
  /** Processor time of the process so far (ms). */
  readonly processorMs?: () => number;
}

/** Interval of the samples (ms). */
const sampleMs = 30_000;
const usualIdleShare = 0.05;
/** Idle samples after which work has ended: its entries begin to count as unused. */
const endedSamples = 2;
/** Idle samples after which unused entries are dropped. */
const restedSamples = 4;
/** Samples after which unused entries are dropped although the process is never idle. */
const busySamples = 30;

/** Drops cached values two minutes after work has ended, and every fifteen minutes during work. */
export function forgetWhenIdle(clock: Clock, options: IdleOptions): Timer {
  const { forget, isDueInWork = true, idleShare = usualIdleShare } = options;
  const { processorMs = ownProcessorMs } = options;
  let before = processorMs();
  let idleSamples = 0;
  let samplesLeft = busySamples;
  const sample = (): void => {
    const used = processorMs();
    idleSamples = used - before < idleShare * sampleMs ? idleSamples + 1 : 0;
    before = used;
    samplesLeft--;
    const isDue = samplesLeft === 0 && (isDueInWork || idleSamples > 0);
    if (idleSamples === endedSamples || idleSamples === restedSamples || isDue) forget();
    else if (samplesLeft > 0) return;
    samplesLeft = busySamples;
  };
  return clock.every(sampleMs, sample, { keepAlive: false });
}

function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
