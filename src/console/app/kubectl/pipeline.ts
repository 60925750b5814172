import { ByteQueue } from "../base/byte-queue.ts";
import { resolve } from "../node/path.ts";
import { files } from "../node/virtual-files.ts";
import type { ParsedLine } from "./command-line.ts";
import type { ProgramStreams } from "./page-host.ts";

/** The ends of a pipeline that are the terminal's. */
interface TerminalEnds {
  readonly typed: AsyncIterable<Uint8Array>;
  write(chunk: string | Uint8Array): void;
  readonly signal: AbortSignal;
}

type RunOne = (words: readonly string[], streams: ProgramStreams) => Promise<number>;

const encoder = new TextEncoder();
const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === "string" ? encoder.encode(chunk) : chunk.slice();

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Runs the commands of a line, each of which reads what the one before it writes; returns the exit code of the last. When
 * one ends, those before it are interrupted: they would write for no reader.
 */
export async function runPipeline(
  { commands, input, output }: ParsedLine,
  text: string | undefined,
  ends: TerminalEnds,
  run: RunOne,
): Promise<number> {
  const inHome = (name: string) => resolve("/home", name);
  const given = input === undefined ? text : files.read(inHome(input));
  const first = given === undefined ? ends.typed : once(bytesOf(given));
  const written: Uint8Array[] = [];
  const stops = commands.map(() => new AbortController());
  const between = commands.slice(1).map(() => new ByteQueue());
  const codes = await Promise.all(
    commands.map(async (words, index) => {
      const isLast = index === commands.length - 1;
      const next = between[index];
      const code = await run(words, {
        input: between[index - 1] ?? first,
        isTyped: index === 0 && given === undefined,
        isShown: isLast && output === undefined,
        write(chunk) {
          if (next) next.push(bytesOf(chunk));
          else if (output) written.push(bytesOf(chunk));
          else ends.write(chunk);
        },
        writeError: (chunk) => ends.write(chunk),
        signal: AbortSignal.any([ends.signal, stops[index]?.signal ?? ends.signal]),
      });
      next?.end();
      for (const stop of stops.slice(0, index)) stop.abort();
      return code;
    }),
  );
  if (output) {
    const path = inHome(output.file);
    const before = output.appends && files.isFile(path) ? [files.read(path)] : [];
    files.write(
      path,
      new Uint8Array(await new Blob([...before, ...written] as BlobPart[]).arrayBuffer()),
    );
  }
  return codes.at(-1) ?? 0;
}
