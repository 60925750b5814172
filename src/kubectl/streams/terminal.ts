/** Upstream: staging/src/k8s.io/kubectl/pkg/util/term. */

import type { TerminalSize } from "#/client/streaming/remote-command.ts";
import type { Context } from "../command/context.ts";

/** Calls a function with the terminal in raw mode, and restores the mode afterwards. */
export async function withRawTerminal<T>(context: Context, run: () => Promise<T>): Promise<T> {
  context.terminal?.setRaw(true);
  try {
    return await run();
  } finally {
    context.terminal?.setRaw(false);
  }
}

/** The size of the terminal, then each new size. */
export async function* terminalSizes(
  context: Context,
  first: readonly TerminalSize[] = [],
): AsyncGenerator<TerminalSize> {
  const { terminal } = context;
  if (!terminal) return;
  yield* first;
  yield terminal.size();
  let wake = (): void => undefined;
  using _listening = terminal.onResize(() => wake());
  for (;;) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    yield terminal.size();
  }
}
