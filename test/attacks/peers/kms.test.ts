import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { kmsV2 } from "#/apiserver/encryption/kms.ts";
import { service, unary } from "#/std/grpc/grpc.ts";
import { map, message } from "#/std/protobuf/protobuf.ts";
import { bytes, string } from "#/std/protobuf/protobuf-field.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type Handlers, implement, serve } from "#/testing/grpc-server.ts";

const keyManagement = service("v2.KeyManagementService", {
  Status: unary(message({}), message({ version: string(1), healthz: string(2), keyId: string(3) })),
  Decrypt: unary(message({ ciphertext: bytes(1) }), message({ plaintext: bytes(1) })),
  Encrypt: unary(
    message({ plaintext: bytes(1) }),
    message({ ciphertext: bytes(1), keyId: string(2), annotations: map(3, string, bytes) }),
  ),
});
type Plugin = Handlers<typeof keyManagement>;

const key = "/registry/secrets/a/b";
const plain = Buffer.from("plain");
const harmless: Plugin = {
  Status: async () => ({ version: "v2", healthz: "ok", keyId: "1" }),
  Encrypt: async ({ plaintext }) => ({ ciphertext: plaintext, keyId: "1", annotations: {} }),
  Decrypt: async ({ ciphertext }) => ({ plaintext: ciphertext }),
};
const seed = Buffer.alloc(32, 1);
const never = (): Promise<never> => new Promise(() => undefined);
const encrypts = (changed: object): Plugin => ({
  Encrypt: async () => ({ ciphertext: seed, keyId: "1", annotations: {}, ...changed }),
});
const status = (changed: object): Plugin => ({
  Status: async () => ({ version: "v2", healthz: "ok", keyId: "1", ...changed }),
});

/** Starts a plugin and a transformer that uses it. */
async function start(handlers: Plugin) {
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "kms-"));
  starting.defer(() => rm(directory, { recursive: true }));
  const endpoint = `unix://${join(directory, "kms.sock")}`;
  const services = [implement(keyManagement, { ...harmless, ...handlers })];
  starting.use(await serve({ address: endpoint, services }));
  const options = { name: "p", endpoint, timeoutMs: 300, clock: systemClock };
  const transformer = starting.use(kmsV2(options));
  const stack = starting.move();
  return { transformer, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("a harmless KMS plugin encrypts and decrypts", async () => {
  await using plugin = await start({});
  await using other = await start({});
  const sealed = await plugin.transformer.encrypt(plain, key);
  await plugin.transformer.health?.();
  assert.deepEqual(await other.transformer.decrypt(sealed, key), plain);
});

const attacks: readonly {
  readonly name: string;
  readonly plugin: Plugin;
  readonly message: RegExp;
}[] = [
  { name: "never encrypts", plugin: { Encrypt: never }, message: /DEADLINE_EXCEEDED|deadline/i },
  {
    name: "answers with 100 MB",
    plugin: encrypts({ ciphertext: Buffer.alloc(100 << 20) }),
    message: /RESOURCE_EXHAUSTED|larger|exceed/i,
  },
  {
    name: "encrypts to nothing",
    plugin: encrypts({ ciphertext: Buffer.alloc(0) }),
    message: /^failed to validate encrypted DEK source: encrypted DEK source is empty$/,
  },
  {
    name: "encrypts to a megabyte",
    plugin: encrypts({ ciphertext: Buffer.alloc(1 << 20) }),
    message:
      /^failed to validate encrypted DEK source: encrypted DEK source is 1048576 bytes, which exceeds the max size of 1024$/,
  },
  {
    name: "has no key",
    plugin: encrypts({ keyId: "" }),
    message: /^failed to validate key id: keyID is empty$/,
  },
  {
    name: "has a long key",
    plugin: encrypts({ keyId: "k".repeat(5000) }),
    message: /^failed to validate key id: keyID is 5000 bytes, which exceeds the max size of 1024$/,
  },
  {
    name: "annotates with a megabyte",
    plugin: encrypts({ annotations: { "a.example.com": Buffer.alloc(1 << 20) } }),
    message:
      /^failed to validate annotations: total size of annotations is 1048589, which exceeds the max size of 32768$/,
  },
  {
    name: "annotates without a domain",
    plugin: encrypts({ annotations: { a: Buffer.of(1) } }),
    message: /^failed to validate annotations: annotations: Invalid value: "a": should be a domain/,
  },
];

for (const { name, plugin, message: expected } of attacks) {
  test(`nothing is stored by a KMS plugin that ${name}`, async () => {
    await using hostile = await start(plugin);
    await assert.rejects(async () => hostile.transformer.encrypt(plain, key), {
      message: expected,
    });
  });
}

for (const length of [0, 31, 5000]) {
  test(`a KMS plugin that decrypts to ${length} bytes is refused`, async () => {
    await using honest = await start({});
    const sealed = await honest.transformer.encrypt(plain, key);
    await using hostile = await start({
      Decrypt: async () => ({ plaintext: Buffer.alloc(length) }),
    });
    await assert.rejects(async () => hostile.transformer.decrypt(sealed, key), {
      message: `invalid seed length ${length} used for key generation`,
    });
  });
}

const unhealthy: readonly (readonly [string, Plugin, RegExp])[] = [
  ["another version", status({ version: "v9" }), /expected KMSv2 API version v2, got v9/],
  ["no key", status({ keyId: "" }), /got invalid KMSv2 KeyID hash "": keyID is empty/],
  [
    "a long key",
    status({ keyId: "k".repeat(5000) }),
    /got invalid KMSv2 KeyID hash "sha256:[0-9a-f]{64}": keyID is 5000 bytes/,
  ],
  ["no answer", { Status: never }, /deadline|DEADLINE/i],
];

for (const [name, plugin, expected] of unhealthy) {
  test(`a KMS plugin whose status has ${name} is unhealthy`, async () => {
    await using hostile = await start(plugin);
    await assert.rejects(async () => hostile.transformer.health?.(), { message: expected });
  });
}
