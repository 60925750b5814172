import assert from "node:assert/strict";
import { createCipheriv, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { service, unary } from "#/std/grpc/grpc.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { map, message } from "#/std/protobuf/protobuf.ts";
import { bytes, string } from "#/std/protobuf/protobuf-field.ts";
import { systemClock } from "#/std/time/clock.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { aesCbc, aesGcm } from "./aes.ts";
import { EncryptingStorage } from "./encrypting-storage.ts";
import { EncryptionMetrics } from "./encryption-metrics.ts";
import { type EncryptionRule, findRule, parseEncryptionConfiguration } from "./encryption-rules.ts";
import { kmsV2 } from "./kms.ts";
import { measuredTransformer } from "./measured-transformer.ts";
import { secretbox } from "./secretbox.ts";
import type { Transformer } from "./transformer.ts";
import { open, seal } from "./xsalsa20-poly1305.ts";

const secret = Buffer.alloc(32, 7);
const key = "/registry/secrets/a/b";
const plain = Buffer.from('{"kind":"Secret"}');

for (const transformer of [aesCbc("k", secret), aesGcm("k", secret), secretbox("k", secret)]) {
  test(`${transformer.prefix} decrypts what it encrypted, and refuses changed bytes`, async () => {
    const sealed = await transformer.encrypt(plain, key);
    assert.ok(sealed.subarray(0, transformer.prefix.length).equals(transformer.prefix));
    assert.ok(!sealed.includes("Secret"));
    assert.deepEqual(await transformer.decrypt(sealed, key), plain);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await assert.rejects(async () => {
      const opened = await transformer.decrypt(changed, key);
      // CBC detects a change only in the padding.
      if (transformer.prefix.includes("aescbc") && !opened.equals(plain))
        throw new Error("differs");
    });
  });
}

test("aesGcm() binds a value to its key", async () => {
  const transformer = aesGcm("k", secret);
  const sealed = await transformer.encrypt(plain, key);
  assert.throws(() => transformer.decrypt(sealed, "/registry/secrets/a/other"));
});

test("seal() is NaCl's secretbox", () => {
  // Test vector of NaCl's documentation.
  const firstKey = Buffer.from(
    "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389",
    "hex",
  );
  const nonce = Buffer.from("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37", "hex");
  const value = Buffer.from(
    "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705",
    "hex",
  );
  const sealed = seal(firstKey, nonce, value);
  assert.equal(sealed.subarray(0, 16).toString("hex"), "f3ffc7703f9400e52a7dfb4b3d3305d9");
  assert.equal(sealed.subarray(16, 32).toString("hex"), "8e993b9f48681273c29650ba32fc76ce");
  assert.deepEqual(open(firstKey, nonce, sealed), value);
});

const configuration = `
kind: EncryptionConfiguration
apiVersion: apiserver.config.k8s.io/v1
resources:
- resources: [secrets]
  providers:
  - aescbc: {keys: [{name: new, secret: ${secret.toString("base64")}}, {name: old, secret: ${Buffer.alloc(16, 1).toString("base64")}}]}
  - identity: {}
- resources: ["*.apps"]
  providers: [{identity: {}}]
- resources: ["*.*"]
  providers: [{aesgcm: {keys: [{name: all, secret: ${secret.toString("base64")}}]}}]
`;

test("findRule() finds the first rule that names a resource", () => {
  const rules = parseEncryptionConfiguration(configuration, systemClock);
  assert.equal(findRule(rules, "", "secrets"), rules[0]);
  assert.equal(findRule(rules, "apps", "deployments"), rules[1]);
  assert.equal(findRule(rules, "example.com", "widgets"), rules[2]);
  assert.equal(rules[0]?.providers.length, 3);
});

const bad = [
  "{}",
  "kind: EncryptionConfiguration",
  configuration.replace(secret.toString("base64"), "YQ=="),
];
for (const text of bad) {
  test(`parseEncryptionConfiguration() refuses ${text.slice(0, 30)}`, () => {
    assert.throws(() => parseEncryptionConfiguration(text, systemClock));
  });
}

function encrypted(...providers: EncryptionRule["providers"]) {
  const inner = new MemoryStorage({ clock: systemClock });
  const rule = { resources: ["secrets"], providers };
  const ruleOf = (at: string) => (at.startsWith("/registry/secrets/") ? rule : undefined);
  return { inner, storage: new EncryptingStorage(inner, ruleOf) };
}

test("EncryptingStorage encrypts values of its resources only, and watchers get the identical bytes of a write", async () => {
  const { inner, storage } = encrypted(aesGcm("k", secret));
  const stop = new AbortController();
  const batches = storage.watch("/registry/", { after: 0, signal: stop.signal });
  await storage.put(key, plain, { expect: "any" });
  await storage.put("/registry/pods/a/b", plain, { expect: "any" });
  const stored = Buffer.from((await inner.get(key)).entry?.value ?? []);
  assert.ok(stored.toString("latin1").startsWith("k8s:enc:aesgcm:v1:k:"));
  assert.deepEqual(Buffer.from((await inner.get("/registry/pods/a/b")).entry?.value ?? []), plain);
  assert.deepEqual(Buffer.from((await storage.get(key)).entry?.value ?? []), plain);
  for await (const { events } of batches) {
    const [event] = events;
    if (event?.type !== "put") continue;
    assert.equal(event.entry.value, plain);
    break;
  }
  stop.abort();
});

test("EncryptingStorage reads values of older keys and unencrypted values", async () => {
  const { inner, storage } = encrypted(aesGcm("new", secret), aesGcm("old", secret), "identity");
  await inner.put(key, await aesGcm("old", secret).encrypt(plain, key), { expect: "any" });
  await inner.put(`${key}2`, plain, { expect: "any" });
  const { entries } = await storage.range("/registry/secrets/");
  assert.deepEqual(
    entries.map(({ value }) => Buffer.from(value).toString()),
    [plain.toString(), plain.toString()],
  );
  const unknown = await aesGcm("lost", secret).encrypt(plain, key);
  await inner.put(key, unknown, { expect: "any" });
  await assert.rejects(storage.get(key), /no matching prefix found/);
});

test("a write that changes nothing renews a value encrypted with an older key", async () => {
  const inner = new MemoryStorage({ clock: systemClock });
  const providers: (Transformer | "identity")[] = [aesGcm("old", secret), "identity"];
  const rule = { resources: ["secrets"], providers };
  const storage = new EncryptingStorage(inner, (at) =>
    at.startsWith("/registry/secrets/") ? rule : undefined,
  );
  await using api = await startApiServer({ storage });
  const url = "/api/v1/namespaces/default/secrets";
  const made = (await api.call("POST", url, { metadata: { name: "s" }, data: { a: "Yg==" } })).json;
  const write = async () => (await api.call("PUT", `${url}/s`, made)).json.metadata.resourceVersion;
  const stored = async () => {
    const { entry } = await inner.get("/registry/secrets/default/s");
    return Buffer.from(entry?.value ?? []).toString("latin1");
  };
  assert.equal(await write(), made.metadata.resourceVersion);
  providers.unshift(aesGcm("new", secret));
  const renewed = await write();
  assert.notEqual(renewed, made.metadata.resourceVersion);
  assert.match(await stored(), /^k8s:enc:aesgcm:v1:new:/);
  made.metadata.resourceVersion = renewed;
  assert.equal(await write(), renewed);
  providers.unshift("identity");
  await write();
  assert.match(await stored(), /^\{/);
});

const keyManagement = service("v2.KeyManagementService", {
  Status: unary(message({}), message({ version: string(1), healthz: string(2), keyId: string(3) })),
  Decrypt: unary(
    message({ ciphertext: bytes(1), uid: string(2), keyId: string(3) }),
    message({ plaintext: bytes(1) }),
  ),
  Encrypt: unary(
    message({ plaintext: bytes(1), uid: string(2) }),
    message({ ciphertext: bytes(1), keyId: string(2), annotations: map(3, string, bytes) }),
  ),
});

const mask = (value: Uint8Array) => {
  const cipher = createCipheriv("aes-256-ctr", secret, Buffer.alloc(16));
  return Buffer.concat([cipher.update(value), cipher.final()]);
};

/** A KMS plugin behind its socket. */
async function startPlugin() {
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "kms-"));
  starting.defer(() => rm(directory, { recursive: true }));
  const endpoint = `unix://${join(directory, "kms.sock")}`;
  const asked: string[] = [];
  const state = { keyId: "1", healthz: "ok" };
  const own = implement(keyManagement, {
    Status: async () => ({ version: "v2", ...state }),
    async Encrypt(request) {
      asked.push("Encrypt");
      return { ciphertext: mask(request.plaintext), keyId: state.keyId, annotations: {} };
    },
    async Decrypt(request) {
      asked.push("Decrypt");
      return { plaintext: mask(request.ciphertext) };
    },
  });
  starting.use(await serve({ address: endpoint, services: [own] }));
  const stack = starting.move();
  const options = { name: "p", endpoint, timeoutMs: 3000, clock: systemClock };
  return { asked, state, options, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("kmsV2() encrypts with a key of the plugin", async () => {
  await using plugin = await startPlugin();
  using first = kmsV2(plugin.options);
  const values: Buffer[] = [];
  for (let n = 0; n < 5; n++) values.push(await first.encrypt(plain, key));
  using second: Transformer & Disposable = kmsV2(plugin.options);
  for (const value of values) assert.deepEqual(await second.decrypt(value, key), plain);
  assert.deepEqual(plugin.asked, ["Encrypt", "Decrypt"]);
  await assert.rejects(async () => second.decrypt(values[0] ?? randomBytes(1), "other"));
});

test("kmsV2() uses the plugin's new key once its status reports it", async () => {
  await using plugin = await startPlugin();
  using kms = kmsV2(plugin.options);
  const old = await kms.encrypt(plain, key);
  await kms.health?.();
  assert.equal(kms.isStale?.(old), false);
  plugin.state.keyId = "2";
  await kms.health?.();
  assert.equal(kms.isStale?.(old), true);
  assert.equal(kms.isStale?.(await kms.encrypt(plain, key)), false);
  assert.deepEqual(await kms.decrypt(old, key), plain);
});

test("kmsV2() reports why a plugin is unhealthy or unreachable", async () => {
  await using plugin = await startPlugin();
  using kms = kmsV2(plugin.options);
  plugin.state.healthz = "tired";
  await assert.rejects(
    async () => kms.health?.(),
    /kmsv2 Provider p is not healthy, error: got unexpected healthz status: tired/,
  );
  using nobody = kmsV2({ ...plugin.options, endpoint: "unix:///nonexistent.sock", timeoutMs: 200 });
  await assert.rejects(async () => nobody.health?.());
  await assert.rejects(async () => nobody.encrypt(plain, key));
});

test("EncryptionMetrics count transformations and calls of plugins", async () => {
  await using plugin = await startPlugin();
  const registry = new Metrics();
  const metrics = new EncryptionMetrics(registry, systemClock);
  using kms = kmsV2({ ...plugin.options, metrics });
  const measured = measuredTransformer(kms, metrics, () => "secrets");
  const sealed = await measured.encrypt(plain, key);
  assert.deepEqual(await measured.decrypt(sealed, key), plain);
  await assert.rejects(async () => measured.decrypt(sealed, "other"));
  const lines = [...registry.expose()].join("").split("\n");
  const counted = lines.filter((line) => /_total\{|latency_seconds_count\{/.test(line));
  const operations = "apiserver_storage_transformation_operations_total";
  const of = (status: string, type: string) =>
    `${operations}{resource="secrets",status="${status}",transformation_type="${type}",transformer_prefix="k8s:enc:kms:v2:p:"} 1`;
  assert.deepEqual(counted, [
    'apiserver_envelope_encryption_kms_operations_latency_seconds_count{grpc_status_code="OK",method_name="/v2.KeyManagementService/Encrypt",provider_name="p"} 1',
    of("OK", "from_storage"),
    of("OK", "to_storage"),
    of("unknown-non-grpc", "from_storage"),
  ]);
});
