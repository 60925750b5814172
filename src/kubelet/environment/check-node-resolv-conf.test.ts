import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkNodeResolvConf } from "./check-node-resolv-conf.ts";

const domains = (count: number, length = 5): string =>
  `search ${Array.from({ length: count }, () => "d".repeat(length)).join(" ")}\n`;

const cases: readonly [
  name: string,
  text: string | undefined,
  message: (path: string) => string,
][] = [
  ["a usual file", "nameserver 1.2.3.4\nsearch example.com\n", () => ""],
  ["no file", undefined, (path) => `open ${path}: no such file or directory`],
  ["an empty nameserver", "nameserver\n", () => "nameserver list is empty "],
  [
    "too many domains",
    domains(30),
    (path) => `Resolv.conf file '${path}' contains search line consisting of more than 29 domains!`,
  ],
  [
    "a long domain",
    domains(1, 254),
    (path) =>
      `Resolv.conf file "${path}" contains a search path which length is more than allowed 253 chars!`,
  ],
  [
    "a long line",
    domains(10, 250),
    (path) =>
      `Resolv.conf file '${path}' contains search line which length is more than allowed 2048 chars!`,
  ],
];

for (const [name, text, message] of cases) {
  test(`checkNodeResolvConf() on ${name}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "k8ts-resolv-"));
    try {
      const resolvConf = join(folder, "resolv.conf");
      if (text !== undefined) await writeFile(resolvConf, text);
      const seen: string[] = [];
      await checkNodeResolvConf({
        config: { resolvConf, clusterDomain: "cluster.local" },
        nodeName: "n",
        recorder: {
          event: (object, type, reason, said) =>
            void seen.push(`${JSON.stringify(object)} ${type} ${reason} ${said}`),
        },
      });
      const node = '{"apiVersion":"v1","kind":"Node","name":"n"}';
      const expected = message(resolvConf);
      const line = `${node} Warning CheckLimitsForResolvConf ${expected}`;
      assert.deepEqual(seen, expected === "" ? [] : [line]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
