import type { Clock } from "#/std/time/clock.ts";

/** Watches without a time of their own end after this to twice as long, so that clients spread over servers. */
const defaultTimeoutMs = 1_800_000;

/** Aborts when the client goes, or when the watch has had its time. */
export function watchSignal(
  client: AbortSignal,
  clock: Clock,
  timeoutSeconds: number | undefined,
  leastMs = defaultTimeoutMs,
): AbortSignal {
  const ended = new AbortController();
  const timeoutMs = timeoutSeconds ? timeoutSeconds * 1000 : leastMs * (1 + jitter());
  const timer = clock.setTimer(timeoutMs, () => ended.abort(), { keepAlive: false });
  const gone = () => {
    timer.cancel();
    ended.abort();
  };
  if (client.aborted) gone();
  else client.addEventListener("abort", gone, { once: true });
  return ended.signal;
}

/** Something between 0 and 1 that differs between watches. */
function jitter(): number {
  return crypto.getRandomValues(new Uint8Array(1)).reduce((_, byte) => byte / 256, 0);
}
