import { createHash, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { goQuote } from "#/std/go/go-quote.ts";
import { service, unary } from "#/std/grpc/grpc.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { serviceClient } from "#/std/grpc/grpc-client.ts";
import { map, message } from "#/std/protobuf/protobuf.ts";
import { bytes, int32, string } from "#/std/protobuf/protobuf-field.ts";
import type { Clock } from "#/std/time/clock.ts";
import { openGcm, sealGcm } from "./aes.ts";
import type { EncryptionMetrics } from "./encryption-metrics.ts";
import { checkEncryptAnswer, checkSeed, keyIdProblem, seedBytes } from "./kms-answer.ts";
import type { Transformer } from "./transformer.ts";

/**
 * Upstream: staging/src/k8s.io/kms/apis/v2/api.proto,
 * staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2.
 */
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
/** A stored value: encrypted with a key derived from a seed, which the plugin has encrypted. */
const encryptedObject = message({
  encryptedData: bytes(1),
  keyId: string(2),
  encryptedSeed: bytes(3),
  annotations,
  seedType: int32(5),
});
const seedType = 1;
/** Limit of the use of a seed for writes (ms), after which the plugin encrypts a new one. */
const seedLifeMs = 3 * 60 * 1000;
const knownSeeds = 1000;
/** Interval of status calls of the plugin, which return its key id. */
const statusMs = 60_000;

interface Seed {
  readonly seed: Uint8Array;
  readonly encrypted: Uint8Array;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Uint8Array>>;
  readonly untilMs: number;
}

interface KmsOptions {
  readonly name: string;
  /** unix:///path of the plugin's socket. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Records calls of the plugin. */
  readonly metrics?: EncryptionMetrics;
}

/** Gets a seed encrypted by a plugin from time to time, and derives the keys of single values from it. */
export function kmsV2(options: KmsOptions): Transformer & Disposable {
  return new KmsTransformer(options);
}

class KmsTransformer implements Transformer, Disposable {
  readonly prefix: Buffer;
  readonly #options: KmsOptions;
  readonly #channel: ReturnType<typeof openChannel>;
  readonly #client: ReturnType<typeof serviceClient<typeof keyManagement>>;
  readonly #seeds = new Map<string, Uint8Array>();
  readonly #timer: Disposable;
  #current: Promise<Seed> | undefined;
  /** The plugin's key as of its last successful response. */
  #keyId: string | undefined;

  constructor(options: KmsOptions) {
    const { name, endpoint, clock } = options;
    this.#options = options;
    this.prefix = Buffer.from(`k8s:enc:kms:v2:${name}:`);
    this.#channel = openChannel({ address: endpoint });
    this.#client = serviceClient(keyManagement, this.#channel);
    const look = () => void this.health().catch(() => undefined);
    this.#timer = clock.every(statusMs, look, { keepAlive: false });
  }

  /** Calls the plugin's status; a new key id is used from then on. */
  async health(): Promise<void> {
    const { name, timeoutMs } = this.#options;
    const { version, healthz, keyId } = await this.#call("Status", () =>
      this.#client.Status({}, { timeoutMs }),
    );
    const invalid = keyIdProblem(keyId);
    const problems = [
      ...(healthz === "ok" ? [] : [`got unexpected healthz status: ${healthz}`]),
      ...(version === "v2" || version === "v2beta1"
        ? []
        : [`expected KMSv2 API version v2, got ${version}`]),
      ...(invalid === undefined
        ? []
        : [`got invalid KMSv2 KeyID hash ${goQuote(hashOf(keyId))}: ${invalid}`]),
    ];
    if (invalid === undefined && this.#keyId !== undefined && keyId !== this.#keyId) {
      this.#current = undefined;
      await this.#currentSeed();
    }
    if (invalid === undefined) this.#keyId = keyId;
    if (problems.length === 0) return;
    throw new Error(`kmsv2 Provider ${name} is not healthy, error: ${problems.join(", ")}`);
  }

  async encrypt(value: Uint8Array, key: string): Promise<Buffer> {
    const { seed, encrypted, keyId, annotations: notes } = await this.#currentSeed();
    const info = randomBytes(seedBytes);
    const sealed = sealGcm(valueKey(seed, info), value, key);
    const object = encryptedObject.encode({
      encryptedData: Buffer.concat([info, sealed]),
      keyId,
      encryptedSeed: encrypted,
      annotations: notes,
      seedType,
    });
    return Buffer.concat([this.prefix, object]);
  }

  async decrypt(value: Uint8Array, key: string): Promise<Buffer> {
    const object = encryptedObject.decode(value.subarray(this.prefix.length));
    const { encryptedSeed, encryptedData } = object;
    const known = this.#seeds.get(Buffer.from(encryptedSeed).toString("base64"));
    const seed = known ?? (await this.#askForSeed(object));
    const info = encryptedData.subarray(0, seedBytes);
    return openGcm(valueKey(seed, info), encryptedData.subarray(seedBytes), key);
  }

  isStale(value: Uint8Array): boolean {
    const { keyId } = encryptedObject.decode(value.subarray(this.prefix.length));
    return this.#keyId !== undefined && keyId !== this.#keyId;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#channel.close();
  }

  async #currentSeed(): Promise<Seed> {
    const { clock } = this.#options;
    this.#current ??= this.#makeSeed();
    try {
      const found = await this.#current;
      if (found.untilMs > clock.monotonicMs()) return found;
      this.#current = this.#makeSeed();
      return await this.#current;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  async #makeSeed(): Promise<Seed> {
    const { clock, timeoutMs } = this.#options;
    const seed = randomBytes(seedBytes);
    const request = { plaintext: seed, uid: randomUUID() };
    const answer = await this.#call("Encrypt", () => this.#client.Encrypt(request, { timeoutMs }));
    checkEncryptAnswer(answer);
    this.#remember(answer.ciphertext, seed);
    this.#keyId = answer.keyId;
    return {
      seed,
      encrypted: answer.ciphertext,
      keyId: answer.keyId,
      annotations: answer.annotations,
      untilMs: clock.monotonicMs() + seedLifeMs,
    };
  }

  async #askForSeed(object: {
    readonly encryptedSeed: Uint8Array;
    readonly keyId: string;
    readonly annotations: Readonly<Record<string, Uint8Array>>;
  }): Promise<Uint8Array> {
    const { encryptedSeed: ciphertext, keyId, annotations: notes } = object;
    const request = { ciphertext, uid: randomUUID(), keyId, annotations: notes };
    const { timeoutMs } = this.#options;
    const { plaintext } = await this.#call("Decrypt", () =>
      this.#client.Decrypt(request, { timeoutMs }),
    );
    checkSeed(plaintext);
    this.#remember(ciphertext, plaintext);
    return plaintext;
  }

  #call<T>(method: string, call: () => Promise<T>): Promise<T> {
    const { metrics, name } = this.#options;
    return metrics ? metrics.called(name, `/v2.KeyManagementService/${method}`, call) : call();
  }

  #remember(encrypted: Uint8Array, seed: Uint8Array): void {
    if (this.#seeds.size >= knownSeeds) this.#seeds.clear();
    this.#seeds.set(Buffer.from(encrypted).toString("base64"), seed);
  }
}

const valueKey = (seed: Uint8Array, info: Uint8Array): Buffer =>
  Buffer.from(hkdfSync("sha256", seed, new Uint8Array(), info, seedBytes));

/** A key id in messages: it may be secret, or very long. */
const hashOf = (keyId: string): string =>
  keyId === "" ? "" : `sha256:${createHash("sha256").update(keyId).digest("hex")}`;
