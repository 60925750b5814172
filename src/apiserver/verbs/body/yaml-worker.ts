import { parentPort } from "node:worker_threads";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import type { YamlAnswer } from "./yaml-thread.ts";

/** The thread that reads large YAML texts, one after the other. */
parentPort?.on("message", (bytes: Uint8Array) => parentPort?.postMessage(answerFor(bytes)));

function answerFor(bytes: Uint8Array): YamlAnswer {
  try {
    return { value: readYaml(bytes) };
  } catch (error) {
    if (error instanceof DecodeError) return { message: error.message, stage: error.stage };
    throw error;
  }
}
