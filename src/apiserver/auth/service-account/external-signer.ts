import { createPublicKey } from "node:crypto";
import { goQuote } from "#/std/go/go-quote.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { serviceClient } from "#/std/grpc/grpc-client.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { externalSignerService } from "./external-signer-service.ts";
import type { PublicKey, VerificationKeys } from "./keys.ts";

const log = logger("external-signer");

const syncTimeoutMs = 60_000;

const metadataTimeoutMs = 10_000;

const signTimeoutMs = 10_000;

/** Retry interval after keys could not be fetched. */
const retryMs = 10_000;

const maxKeyIdLength = 1024;

const leastSeconds = 600;

const algorithms = ["RS256", "ES256", "ES384", "ES512"];

/** An external program behind a socket that keeps the keys of service account tokens and signs them. */
export class ExternalSigner implements VerificationKeys, Disposable {
  readonly #channel: ReturnType<typeof openChannel>;
  readonly #client: ReturnType<typeof serviceClient<typeof externalSignerService>>;
  readonly #clock: Clock;
  #keys: readonly PublicKey[] = [];
  #timer: Disposable | undefined;
  #syncing: Promise<void> | undefined;

  private constructor(socketPath: string, clock: Clock) {
    this.#channel = openChannel({ address: `unix://${socketPath}` });
    this.#client = serviceClient(externalSignerService, this.#channel);
    this.#clock = clock;
  }

  /** Opens the socket and fetches the keys; rejects if that fails. */
  static async open(socketPath: string, clock: Clock): Promise<ExternalSigner> {
    const signer = new ExternalSigner(socketPath, clock);
    try {
      await signer.#sync();
      return signer;
    } catch (error) {
      signer[Symbol.dispose]();
      throw error;
    }
  }

  get keys(): readonly PublicKey[] {
    return this.#keys;
  }

  find(id: string | undefined): readonly PublicKey[] {
    return id === undefined ? this.#keys : this.#keys.filter((key) => key.id === id);
  }

  /** Fetches the keys again if one is not known. */
  async learn(id: string): Promise<void> {
    if (this.find(id).length > 0) return;
    await this.#sync().catch((error: unknown) =>
      log.error(error, "failed to fetch the keys of the external signer"),
    );
  }

  /** Limit of the lifetime of tokens (s). */
  async maxExpirationSeconds(): Promise<number> {
    const answer = await this.#client.Metadata({}, { timeoutMs: metadataTimeoutMs });
    const seconds = answer.maxTokenExpirationSeconds;
    if (seconds >= leastSeconds) return seconds;
    throw new Error(
      `max token life supported by external-jwt-signer (${seconds}s) is less than acceptable (min ${leastSeconds}s)`,
    );
  }

  /** Signs claims as a token. */
  async sign(claims: object): Promise<string> {
    const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
    const answer = await this.#client
      .Sign({ claims: payload }, { timeoutMs: signTimeoutMs })
      .catch((error: Error) => {
        throw new Error(`while signing jwt: ${error.message}`, { cause: error });
      });
    const problem = await this.#headerProblem(answer.header);
    if (problem) throw new Error(`while validating header: ${problem}`);
    if (answer.signature === "") throw new Error("empty signature returned");
    return `${answer.header}.${payload}.${answer.signature}`;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#channel.close();
  }

  async #headerProblem(encoded: string): Promise<string | undefined> {
    const header = parseHeader(encoded);
    if (!header) return "while parsing header JSON: it is no header";
    const { alg = "", kid = "", typ, ...more } = header;
    const [unknown] = Object.keys(more);
    if (unknown) return `while parsing header JSON: json: unknown field ${goQuote(unknown)}`;
    if (typ !== "JWT") return "bad type";
    if (kid === "") return "key id missing";
    if (kid.length > maxKeyIdLength) return "key id longer than 1 kb";
    if (!algorithms.includes(alg)) return `bad signing algorithm ${goQuote(alg)}`;
    await this.learn(kid);
    if (!this.find(kid).some(({ isHidden }) => isHidden)) return undefined;
    return `key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`;
  }

  /** Fetches all keys, once for all concurrent callers. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#fetch().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  async #fetch(): Promise<void> {
    let nextMs = retryMs;
    try {
      const answer = await this.#client.FetchKeys({}, { timeoutMs: syncTimeoutMs });
      const { keys, refreshHintSeconds: seconds } = answer;
      if (seconds <= 0) throw new Error(`found invalid refresh hint (${seconds}s)`);
      if (keys.length === 0) throw new Error("found no keys");
      this.#keys = keys.map(({ keyId, key, excludeFromOidcDiscovery }) => {
        if (keyId === "" || keyId.length > maxKeyIdLength) {
          throw new Error(`found invalid public key id ${goQuote(keyId)}`);
        }
        const der = Buffer.from(key);
        const parsed = createPublicKey({ key: der, format: "der", type: "spki" });
        return { id: keyId, key: parsed, isHidden: excludeFromOidcDiscovery };
      });
      nextMs = seconds * 1000;
    } catch (error) {
      throw new Error(`while fetching token verification keys: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      this.#timer?.[Symbol.dispose]();
      const again = () =>
        void this.#sync().catch((error: unknown) =>
          log.error(error, "failed to refresh the keys of the external signer"),
        );
      this.#timer = this.#clock.setTimer(nextMs, again, { keepAlive: false });
    }
  }
}

type Header = Readonly<Partial<Record<"alg" | "kid" | "typ", string>>>;

function parseHeader(encoded: string): Header | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Header) : undefined;
  } catch {
    return undefined; // Not JSON, so not a header.
  }
}
