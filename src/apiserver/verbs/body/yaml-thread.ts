import { Worker } from "node:worker_threads";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { keepYaml, type YamlValue } from "#/machinery/codec/yaml/yaml-reader.ts";

/** Message of the thread: a value, or an error. */
export type YamlAnswer =
  | { readonly value: YamlValue }
  | { readonly message: string; readonly stage: DecodeError["stage"] };

interface Job {
  readonly bytes: Uint8Array;
  readonly done: (read: () => YamlValue) => void;
}

let worker: Worker | undefined;
const waiting: Job[] = [];

/** Parses a YAML text in another thread, so that readYaml() has its result. */
export async function readYamlAhead(bytes: Uint8Array): Promise<void> {
  const read = Promise.withResolvers<() => YamlValue>();
  waiting.push({ bytes, done: read.resolve });
  worker ??= start();
  worker.ref();
  worker.postMessage(bytes);
  keepYaml(bytes, await read.promise);
}

function start(): Worker {
  const started = new Worker(new URL("./yaml-worker.ts", import.meta.url));
  const answer = (read: () => YamlValue) => {
    waiting.shift()?.done(read);
    if (waiting.length === 0) started.unref();
  };
  started.on("message", (said: YamlAnswer) =>
    answer(() => {
      if ("value" in said) return said.value;
      throw new DecodeError(said.message, said.stage);
    }),
  );
  started.on("error", (error) => {
    worker = undefined;
    // The text that made the thread fail is refused; waiting ones go to a new thread.
    answer(() => {
      throw new DecodeError(`yaml: ${(error as Error).message}`);
    });
    if (waiting.length === 0) return;
    worker = start();
    for (const { bytes } of waiting) worker.postMessage(bytes);
  });
  return started;
}
