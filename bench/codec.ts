/**
 * What the codecs cost beside bare JSON.parse and JSON.stringify: `node bench/codec.ts`. The goals: a typical Pod is decoded
 * strictly and encoded again in at most 3 times (we aim at 2) what JSON.parse and JSON.stringify take for it; a list of 500
 * Pods in protobuf is decoded no slower than JSON.parse takes for the same list.
 */

import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { encodeJson } from "#/machinery/codec/json/encode-json.ts";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import { openProtobufBody, openYamlBody } from "#/machinery/codec/object-body.ts";
import { encodeProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { encodeYaml } from "#/machinery/codec/yaml/encode-yaml.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { systemClock } from "#/std/time/clock.ts";
import { typicalPod } from "./codec-pod.ts";

const podSchema = getSchema("Pod");
const listSchema = getSchema("PodList");

const { value: pod } = decodeJson<object>(documentOf(typicalPod(0)), podSchema, true);
const json = encodeJson(pod, podSchema);
const sortedJson = Buffer.from(JSON.stringify(sorted(pod)));
const yaml = encodeYaml(pod, podSchema);
const protobuf = encodeProtobuf(pod, podSchema);
const items = Array.from({ length: 500 }, (_, n) => {
  const { kind: _kind, apiVersion: _apiVersion, ...item } = typicalPod(n);
  return item;
});
const whole = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items };
const { value: list } = decodeJson<object>(documentOf(whole), listSchema, true);
const listJson = encodeJson(list, listSchema);
const listProtobuf = encodeProtobuf(list, listSchema);

print(`a Pod of ${json.length} bytes in JSON, ${protobuf.length} in protobuf`);
compare({
  baseline: [
    "JSON.parse + JSON.stringify",
    () => Buffer.from(JSON.stringify(JSON.parse(json.toString()))),
  ],
  rounds: 2_000,
  others: [
    ["decode strictly + encode", () => encodeJson(decodePod(json), podSchema)],
    ["the same, keys sorted by the client", () => encodeJson(decodePod(sortedJson), podSchema)],
    ["decode strictly", () => decodePod(json)],
    ["encode", () => encodeJson(pod, podSchema)],
    ["decode protobuf", () => openProtobufBody(protobuf).decode(podSchema, true)],
    ["encode protobuf", () => encodeProtobuf(pod, podSchema)],
  ],
});
compare({
  baseline: [
    "JSON.parse + JSON.stringify",
    () => Buffer.from(JSON.stringify(JSON.parse(json.toString()))),
  ],
  rounds: 50,
  others: [
    ["decode YAML", () => openYamlBody(yaml).decode(podSchema, true)],
    ["encode YAML", () => encodeYaml(pod, podSchema)],
  ],
});
print(`\n500 Pods of ${listJson.length} bytes in JSON, ${listProtobuf.length} in protobuf`);
compare({
  baseline: ["JSON.parse", () => JSON.parse(listJson.toString())],
  rounds: 4,
  others: [
    ["decode protobuf", () => openProtobufBody(listProtobuf).decode(listSchema, true)],
    ["decode JSON strictly", () => decodeJson(parseJson(listJson), listSchema, true)],
    ["encode protobuf", () => encodeProtobuf(list, listSchema)],
    ["encode JSON", () => encodeJson(list, listSchema)],
  ],
});

type Work = readonly [title: string, run: () => unknown];

/** Runs all in turns, many times, and prints the best time of each and its ratio to that of the baseline. */
function compare(options: { baseline: Work; others: readonly Work[]; rounds: number }): void {
  const works = [options.baseline, ...options.others];
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let turn = 0; turn < 25; turn++) {
    for (const [i, [, run]] of works.entries()) {
      best[i] = Math.min(best[i] ?? 0, measure(run, options.rounds));
    }
  }
  const [base = 1] = best;
  for (const [i, [title]] of works.entries()) {
    const micros = best[i] ?? 0;
    print(
      `${title.padEnd(38)} ${micros.toFixed(1).padStart(9)} µs  ${(micros / base).toFixed(2)}×`,
    );
  }
}

function measure(run: () => unknown, rounds: number): number {
  const start = systemClock.monotonicMs();
  for (let n = 0; n < rounds; n++) run();
  return ((systemClock.monotonicMs() - start) * 1000) / rounds;
}

function decodePod(bytes: Uint8Array): object {
  return decodeJson<object>(parseJson(bytes), podSchema, true).value;
}

function documentOf(value: object) {
  return parseJson(Buffer.from(JSON.stringify(value)));
}

function getSchema(kind: string) {
  const schema = findSchema("", "v1", kind);
  if (!schema) throw new Error(`no schema for ${kind}`);
  return schema;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
