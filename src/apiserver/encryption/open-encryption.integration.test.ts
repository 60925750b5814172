import assert from "node:assert/strict";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { secrets } from "#/api/core/v1.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { until } from "#/testing/until.ts";
import { apiServerFlags } from "../flags/index.ts";
import type { Declaration } from "../registry/strategy.ts";
import { withEncryption } from "./open-encryption.ts";

const configuration = (...keys: string[]): string =>
  JSON.stringify({
    kind: "EncryptionConfiguration",
    apiVersion: "apiserver.config.k8s.io/v1",
    resources: [
      {
        resources: ["secrets"],
        providers: [
          {
            aesgcm: {
              keys: keys.map((name) => ({
                name,
                secret: Buffer.alloc(32, name).toString("base64"),
              })),
            },
          },
          { identity: {} },
        ],
      },
    ],
  });

const key = "/registry/secrets/a/b";
const plain = Buffer.from("{}");

test("withEncryption() follows its file: new keys write, old ones read, and an invalid file changes nothing", async () => {
  const directory = await mkdtemp(join(tmpdir(), "encryption-"));
  try {
    const file = join(directory, "encryption.json");
    await writeFile(file, configuration("old"));
    const { values } = parseFlags(apiServerFlags, [
      `--encryption-provider-config=${file}`,
      "--encryption-provider-config-automatic-reload",
    ]);
    const inner = new MemoryStorage();
    const metrics = new Metrics();
    using files = new DisposableStack();
    const { storage } = withEncryption(inner, [{ handle: secrets } as Declaration], values, {
      clock: systemClock,
      metrics,
      files,
    });
    const reloads = (status: string): number => {
      const line = [...metrics.expose()]
        .join("")
        .split("\n")
        .find((one) => one.includes("reloads_total{") && one.includes(`status="${status}"`));
      return Number(line?.split(" ")[1] ?? 0);
    };
    const replace = async (text: string, status: string): Promise<void> => {
      const before = reloads(status);
      await writeFile(join(directory, "next"), text);
      await rename(join(directory, "next"), file);
      await until(`a reload: ${status}`, () => reloads(status) !== before);
    };
    const write = async (at: string): Promise<string> => {
      await storage.put(at, plain, { expect: "any" });
      return Buffer.from((await inner.get(at)).entry?.value ?? []).toString("latin1");
    };
    assert.match(await write(key), /^k8s:enc:aesgcm:v1:old:/);
    await replace(configuration("new", "old"), "success");
    assert.deepEqual(Buffer.from((await storage.get(key)).entry?.value ?? []), plain);
    assert.match(await write(`${key}2`), /^k8s:enc:aesgcm:v1:new:/);
    await replace("{}", "failure");
    assert.match(await write(`${key}3`), /^k8s:enc:aesgcm:v1:new:/);
    assert.deepEqual([reloads("success"), reloads("failure")], [1, 1]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
