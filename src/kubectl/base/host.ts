import type { PluginPolicy } from "#/client/kubeconfig/plugin-policy.ts";
import type { Clock } from "#/std/time/clock.ts";

/** An output stream. */
export interface Output {
  write(chunk: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** The width of the terminal; 0 if the output is not a terminal. */
  readonly columns: number;
}

/** An input stream. */
export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
}

/** The user's terminal. */
export interface Terminal {
  /** Switches raw mode: keys are passed on unprocessed. */
  setRaw(raw: boolean): void;
  size(): { readonly width: number; readonly height: number };
  onResize(changed: () => void): Disposable;
}

/** The process that kubectl runs in; tests provide their own. */
export interface Host {
  readonly out: Output;
  readonly err: Output;
  readonly stdin: Input;
  /** Undefined if there is no terminal. */
  readonly terminal?: Terminal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** The programs that may provide credentials, if the user's preferences restrict them. */
  readonly pluginPolicy?: PluginPolicy | undefined;
}

/** All bytes of the standard input as text. */
export async function readAll(input: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return Buffer.concat(chunks);
}
