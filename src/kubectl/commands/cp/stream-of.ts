/** Limit of trailing bytes before the process is ended: the padding of archives is shorter. */
const maxRestBytes = 1024 * 1024;

/**
 * The output of a process, read on demand. Leaving the loop waits for the end of the process, which may still print
 * messages; errors after that are ignored.
 */
export async function* streamOf(
  start: (write: (chunk: Uint8Array) => Promise<void>, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController();
  let [isOver, restBytes] = [false, 0];
  let wanted = Promise.withResolvers<void>();
  let written = Promise.withResolvers<Uint8Array | undefined>();
  const write = async (chunk: Uint8Array): Promise<void> => {
    await wanted.promise;
    if (isOver) {
      restBytes += chunk.length;
      if (restBytes > maxRestBytes) stop.abort();
      return;
    }
    wanted = Promise.withResolvers();
    written.resolve(chunk);
  };
  const running = start(write, AbortSignal.any([signal, stop.signal])).then(
    () => written.resolve(undefined),
    (error: unknown) => written.reject(error),
  );
  try {
    for (;;) {
      wanted.resolve();
      const chunk = await written.promise;
      if (chunk === undefined) return;
      written = Promise.withResolvers();
      yield chunk;
    }
  } finally {
    isOver = true;
    wanted.resolve();
    written.promise.catch(() => undefined);
    await running;
  }
}
