import type { PluginPolicy } from "#/client/kubeconfig/plugin-policy.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Where output goes. */
export interface Output {
  write(chunk: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** The width of the terminal; 0 if it is none. */
  readonly columns: number;
}

/** Where input comes from. */
export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
}

/** The terminal that a user sits at. */
export interface Terminal {
  /** Whether keys are passed on as they are. */
  setRaw(raw: boolean): void;
  size(): { readonly width: number; readonly height: number };
  onResize(changed: () => void): Disposable;
}

/** What kubectl needs of the process it runs in; tests give their own. */
export interface Host {
  readonly out: Output;
  readonly err: Output;
  readonly stdin: Input;
  /** Undefined where nobody sits. */
  readonly terminal?: Terminal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Which programs may provide credentials, if the user's preferences say so. */
  readonly pluginPolicy?: PluginPolicy | undefined;
}

/** All bytes of the standard input as text. */
export async function readAll(input: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return Buffer.concat(chunks);
}
