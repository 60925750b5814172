import type { Clock } from "#/std/time/clock.ts";

/** Watches without a timeout end after one to two times this, so that clients spread over servers. */
const defaultTimeoutMs = 1_800_000;

/** Aborts when the client disconnects, or the watch times out. */
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

/** A number between 0 and 1 that differs between watches. */
function jitter(): number {
  return crypto.getRandomValues(new Uint8Array(1)).reduce((_, byte) => byte / 256, 0);
}
