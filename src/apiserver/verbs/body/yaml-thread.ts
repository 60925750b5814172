import { Worker } from "node:worker_threads";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import type { YamlValue } from "#/machinery/codec/yaml/yaml-reader.ts";
import { requestEntityTooLarge, timeout, tooManyRequests } from "#/machinery/meta/status-error.ts";
import { systemClock, type Timer } from "#/std/time/clock.ts";
import { WaitingTexts } from "./waiting-texts.ts";

/** Message of the thread: the value as JSON, or an error. */
export type YamlAnswer =
  | { readonly json: Uint8Array<ArrayBuffer>; readonly duplicates: readonly string[] }
  | { readonly message: string; readonly stage: DecodeError["stage"] };

/** A text that was parsed. */
interface ParsedYaml {
  /** Its value as JSON; undefined if the text is no YAML. */
  readonly json: Uint8Array | undefined;
  /** Throws DecodeError. */
  readonly value: () => YamlValue;
}

interface Job {
  readonly bytes: Uint8Array;
  readonly done: (answer: YamlAnswer) => void;
  readonly failed: (error: Error) => void;
}

/** Number of threads: a user's texts are parsed one after the other, so another user's find one free. */
const maxThreads = 2;
/** Limit of the time for one text (ms): the largest takes a few seconds of an idle processor. */
const deadlineMs = 30_000;
/** Limit of a thread's memory (MiB): the largest text needs about half of it. */
const heapMib = 1_024;
/** Time (ms) after which an idle thread ends, and gives back its memory. */
const idleMs = 5_000;

const waiting = new WaitingTexts<Job>();
let threads = 0;

/** Parses a YAML text in another thread. Rejects with 429 if too many wait, 413 or 504 if it is too much for one. */
export async function parseYaml(
  bytes: Uint8Array,
  { owner, signal }: { readonly owner: string; readonly signal: AbortSignal },
): Promise<ParsedYaml> {
  const answer = await new Promise<YamlAnswer>((done, failed) => {
    const job = { bytes, done, failed };
    if (!waiting.add(owner, job)) throw tooManyRequests("too many YAML texts are waiting", 1);
    signal.addEventListener("abort", () => waiting.remove(owner, job) && failed(gone), {
      once: true,
    });
    wake();
  });
  if ("message" in answer) {
    const { message, stage } = answer;
    return {
      json: undefined,
      value() {
        throw new DecodeError(message, stage);
      },
    };
  }
  const { json, duplicates } = answer;
  return { json, value: () => ({ value: parseJson(json).value, duplicates }) };
}

const gone = timeout("the client has gone", 0);
/** Idle threads, woken by a new text. */
const idle = new Set<() => void>();

/** Wakes or starts a thread for a new text; one that was woken for another text has that to do. */
function wake(): void {
  if (!waiting.hasReady) return;
  const [next] = idle;
  if (next) {
    idle.delete(next);
    next();
  } else if (threads < maxThreads) void runThread();
}

/** Starts a thread, and gives it texts until none has come for a while. */
async function runThread(): Promise<void> {
  threads++;
  const worker = new Worker(new URL("./yaml-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  });
  worker.on("error", () => undefined); // Memory may run out while it ends.
  try {
    while (await hasWork()) {
      const taken = waiting.take();
      if (!taken) continue;
      const isAlive = await parse(worker, taken.job);
      taken.finish();
      if (!isAlive) break;
    }
  } finally {
    threads--;
    worker.terminate().catch(() => undefined); // It has ended already.
    wake();
  }
}

/** Waits for a text; false if none has come for a while. */
async function hasWork(): Promise<boolean> {
  if (waiting.hasReady) return true;
  const woken = Promise.withResolvers<boolean>();
  const wakeUp = () => woken.resolve(true);
  idle.add(wakeUp);
  using _timer = systemClock.setTimer(idleMs, () => woken.resolve(false), { keepAlive: false });
  const result = await woken.promise;
  idle.delete(wakeUp);
  return result;
}

/** Parses one text; false if the thread has ended. */
async function parse(worker: Worker, { bytes, done, failed }: Job): Promise<boolean> {
  let timer: Timer | undefined;
  const ended = Promise.withResolvers<YamlAnswer>();
  const late = timeout("the YAML text was not parsed within the allotted time", 0);
  const fail = (error: Error) => ended.reject(failureOf(error));
  worker.once("message", ended.resolve).once("error", fail);
  worker.ref();
  try {
    timer = systemClock.setTimer(deadlineMs, () => ended.reject(late));
    worker.postMessage(bytes);
    done(await ended.promise);
    return true;
  } catch (error) {
    failed(error as Error);
    return false;
  } finally {
    timer?.cancel();
    worker.off("message", ended.resolve).off("error", fail);
    worker.unref();
  }
}

/** The end of a thread while it parsed a text. */
function failureOf(error: Error): Error {
  if ((error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") {
    return requestEntityTooLarge("the YAML text needs too much memory");
  }
  return new DecodeError(`yaml: ${error.message}`);
}
