import assert from "node:assert/strict";
import { test } from "node:test";
import { entryTime, logLineReader, mergeLogs } from "./log-entry.ts";

const local = (...parts: [number, number, number, number, number, number, number]): number =>
  new Date(...parts).getTime();
const now = local(2026, 0, 2, 12, 0, 0, 0);

for (const [line, expected] of [
  ['I0102 11:59:58.250000       1 a.ts:1] "x"', local(2026, 0, 2, 11, 59, 58, 250)],
  ['E1231 23:00:00.000000       1 a.ts:1] "last year"', local(2025, 11, 31, 23, 0, 0, 0)],
  ['{"ts":1767355198250.5,"component":"kubelet","msg":"x"}', 1767355198250.5],
  ['time="2026-01-02T11:59:58.250Z" level=info msg=x', Date.UTC(2026, 0, 2, 11, 59, 58, 250)],
  ["\tat a stack", undefined],
  ["supervise: server ended with code 1", undefined],
] as const) {
  test(`entryTime() of ${line}`, () => assert.equal(entryTime(line, now), expected));
}

const entry = (second: number, component: string, text: string): string =>
  `I0102 10:00:0${second}.000000       1 a.ts:1] "${text}" component="${component}" logger="x"`;
const read = (program: string, lines: readonly string[]) => lines.map(logLineReader(program, now));
const server = read("server", [
  entry(1, "kube-apiserver", "a"),
  entry(3, "kube-scheduler", "c"),
  "\tmore of c",
]);
const agent = read("agent", [entry(2, "kubelet", "b"), "supervise: agent ended with code 1"]);
const shown = (lines: readonly { source: string; line: string }[]): string[] =>
  lines.map(({ source, line }) => `${source}: ${/"(.)"/.exec(line)?.[1] ?? line}`);
const all = [
  "kube-apiserver: a",
  "kubelet: b",
  "kubelet: supervise: agent ended with code 1",
  "kube-scheduler: c",
  "kube-scheduler: \tmore of c",
];

for (const { name, options, expected } of [
  { name: "by time", options: { sinceMs: 0, tail: -1 }, expected: all },
  { name: "their last lines", options: { sinceMs: 0, tail: 3 }, expected: all.slice(2) },
  { name: "none of their lines", options: { sinceMs: 0, tail: 0 }, expected: [] },
  {
    name: "since a time",
    options: { sinceMs: local(2026, 0, 2, 10, 0, 2, 0), tail: -1 },
    expected: all.slice(1),
  },
]) {
  test(`mergeLogs() shows the lines of several logs: ${name}`, () => {
    assert.deepEqual(shown(mergeLogs([server, agent], options)), expected);
  });
}
