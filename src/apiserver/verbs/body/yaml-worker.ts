import { parentPort } from "node:worker_threads";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import type { YamlAnswer } from "./yaml-thread.ts";

/** Limit of reported duplicate keys (count): a text can have hundreds of thousands. */
const maxDuplicates = 1_000;

/**
 * The thread that reads large YAML texts, one after the other. It answers with bytes: a value would cost the other
 * thread as much to copy as the text to parse.
 */
parentPort?.on("message", (bytes: Uint8Array) => {
  const answer = answerFor(bytes);
  parentPort?.postMessage(answer, "json" in answer ? [answer.json.buffer] : []);
});

function answerFor(bytes: Uint8Array): YamlAnswer {
  try {
    const { value, duplicates } = readYaml(bytes);
    const json = new TextEncoder().encode(writeJson(value));
    return { json, duplicates: duplicates.slice(0, maxDuplicates) };
  } catch (error) {
    if (error instanceof DecodeError) return { message: error.message, stage: error.stage };
    throw error;
  }
}
