import { hkdfSync, randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "#/std/clock.ts";
import { service, unary } from "#/std/grpc.ts";
import { openChannel } from "#/std/grpc-channel.ts";
import { serviceClient } from "#/std/grpc-client.ts";
import { map, message } from "#/std/protobuf.ts";
import { bytes, int32, string } from "#/std/protobuf-field.ts";
import { openGcm, sealGcm } from "./aes.ts";
import type { Transformer } from "./transformer.ts";

/** Upstream: kms/apis/v2/api.proto, apiserver/pkg/storage/value/encrypt/envelope/kmsv2. */
const annotations = map(4, string, bytes);
const keyManagement = service("v2.KeyManagementService", {
  Status: unary(message({}), message({ version: string(1), healthz: string(2), keyId: string(3) })),
  Decrypt: unary(
    message({ ciphertext: bytes(1), uid: string(2), keyId: string(3), annotations }),
    message({ plaintext: bytes(1) }),
  ),
  Encrypt: unary(
    message({ plaintext: bytes(1), uid: string(2) }),
    message({ ciphertext: bytes(1), keyId: string(2), annotations: map(3, string, bytes) }),
  ),
});
/** A value as it is stored: sealed with a key that is made from a seed, which the plugin has encrypted. */
const encryptedObject = message({
  encryptedData: bytes(1),
  keyId: string(2),
  encryptedSeed: bytes(3),
  annotations,
  seedType: int32(5),
});
const seedType = 1;
const seedBytes = 32;
/** How long a seed is used for writing before the plugin is asked for its key again. */
const seedLifeMs = 3 * 60 * 1000;
const knownSeeds = 1000;

interface Seed {
  readonly seed: Uint8Array;
  readonly encrypted: Uint8Array;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Uint8Array>>;
  readonly untilMs: number;
}

export interface KmsOptions {
  readonly name: string;
  /** unix:///path of the plugin's socket. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Asks a plugin for its key once in a while, and makes the keys of single values from it. */
export function kmsV2({ name, endpoint, timeoutMs, clock }: KmsOptions): Transformer & Disposable {
  const channel = openChannel({ address: endpoint });
  const client = serviceClient(keyManagement, channel);
  const prefix = Buffer.from(`k8s:enc:kms:v2:${name}:`);
  const seeds = new Map<string, Uint8Array>();
  let current: Promise<Seed> | undefined;
  const remember = (encrypted: Uint8Array, seed: Uint8Array) => {
    if (seeds.size >= knownSeeds) seeds.clear();
    seeds.set(Buffer.from(encrypted).toString("base64"), seed);
  };
  const makeSeed = async (): Promise<Seed> => {
    const seed = randomBytes(seedBytes);
    const request = { plaintext: seed, uid: randomUUID() };
    const answer = await client.Encrypt(request, { timeoutMs });
    remember(answer.ciphertext, seed);
    return {
      seed,
      encrypted: answer.ciphertext,
      keyId: answer.keyId,
      annotations: answer.annotations,
      untilMs: clock.monotonicMs() + seedLifeMs,
    };
  };
  const currentSeed = async (): Promise<Seed> => {
    current ??= makeSeed();
    try {
      const found = await current;
      if (found.untilMs > clock.monotonicMs()) return found;
      current = makeSeed();
      return await current;
    } catch (error) {
      current = undefined;
      throw error;
    }
  };
  return {
    prefix,
    async encrypt(value, key) {
      const { seed, encrypted, keyId, annotations: notes } = await currentSeed();
      const info = randomBytes(seedBytes);
      const sealed = sealGcm(valueKey(seed, info), value, key);
      const object = encryptedObject.encode({
        encryptedData: Buffer.concat([info, sealed]),
        keyId,
        encryptedSeed: encrypted,
        annotations: notes,
        seedType,
      });
      return Buffer.concat([prefix, object]);
    },
    async decrypt(value, key) {
      const object = encryptedObject.decode(value.subarray(prefix.length));
      const { encryptedSeed, encryptedData, keyId } = object;
      const known = seeds.get(Buffer.from(encryptedSeed).toString("base64"));
      const seed = known ?? (await askForSeed(object, keyId));
      const info = encryptedData.subarray(0, seedBytes);
      return openGcm(valueKey(seed, info), encryptedData.subarray(seedBytes), key);
    },
    [Symbol.dispose]: () => channel.close(),
  };

  async function askForSeed(
    object: { encryptedSeed: Uint8Array; annotations: Readonly<Record<string, Uint8Array>> },
    keyId: string,
  ): Promise<Uint8Array> {
    const request = {
      ciphertext: object.encryptedSeed,
      uid: randomUUID(),
      keyId,
      annotations: object.annotations,
    };
    const { plaintext } = await client.Decrypt(request, { timeoutMs });
    remember(object.encryptedSeed, plaintext);
    return plaintext;
  }
}

const valueKey = (seed: Uint8Array, info: Uint8Array): Buffer =>
  Buffer.from(hkdfSync("sha256", seed, new Uint8Array(), info, seedBytes));
