import type { Host } from "#/kubectl/base/host.ts";
import type { Clock } from "#/std/time/clock.ts";
import { kubeconfigPath } from "./page-kubeconfig.ts";

/** The streams of one command. */
export interface ProgramStreams {
  readonly input: AsyncIterable<Uint8Array>;
  /** Whether the input is what the user types. */
  readonly isTyped: boolean;
  /** Whether the output is shown. */
  readonly isShown: boolean;
  write(chunk: string | Uint8Array): void;
  writeError(chunk: string | Uint8Array): void;
  readonly signal: AbortSignal;
}

/** The terminal of the page, for programs that use all of it. */
export interface PageTerminal {
  readonly columns: number;
  readonly rows: number;
  setRaw(isRaw: boolean): void;
  onResize(changed: () => void): Disposable;
}

interface HostOptions {
  readonly streams: ProgramStreams;
  readonly terminal: PageTerminal;
  readonly folder: string;
  readonly clock: Clock;
}

/** What kubectl gets in place of a process. */
export function pageHost({ streams, terminal, folder, clock }: HostOptions): Host {
  const { input, isTyped, isShown, write, writeError, signal } = streams;
  return {
    out: { write, isTerminal: isShown, columns: isShown ? terminal.columns : 0 },
    err: { write: writeError, isTerminal: true, columns: terminal.columns },
    stdin: { isTerminal: isTyped, [Symbol.asyncIterator]: () => input[Symbol.asyncIterator]() },
    ...(isTyped
      ? {
          terminal: {
            setRaw: (isRaw: boolean) => terminal.setRaw(isRaw),
            size: () => ({ width: terminal.columns, height: terminal.rows }),
            onResize: (changed: () => void) => terminal.onResize(changed),
          },
        }
      : {}),
    env: { HOME: "/home", TERM: "xterm-256color", KUBECONFIG: kubeconfigPath },
    cwd: folder,
    clock,
    signal,
  };
}
