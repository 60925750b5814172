import {
  type Entry,
  type Storage,
  StorageError,
  type WatchBatch,
  type WatchEvent,
} from "#/storage/base/storage.ts";
import type { EncryptionRule } from "./encryption-rules.ts";

type Put = Parameters<Storage["put"]>;

const encryptedPrefix = Buffer.from("k8s:enc:");

/** The current rule for a key. */
type RuleOf = (key: string) => EncryptionRule | undefined;

/**
 * A store that encrypts values at rest. The event of a write has the identical bytes of the write, so that they need
 * not be parsed again.
 */
export class EncryptingStorage implements Storage {
  readonly #inner: Storage;
  readonly #ruleOf: RuleOf;
  /** By the stored bytes. */
  readonly #written = new WeakMap<Uint8Array, Uint8Array>();

  constructor(inner: Storage, ruleOf: RuleOf) {
    this.#inner = inner;
    this.#ruleOf = ruleOf;
  }

  get exclusive(): boolean {
    return this.#inner.exclusive;
  }

  revision = (): Promise<number> => this.#inner.revision();
  requestProgress: Storage["requestProgress"] = (revision) => this.#inner.requestProgress(revision);
  compact = (revision: number): Promise<void> => this.#inner.compact(revision);
  health = (timeoutMs?: number): Promise<void> => this.#inner.health(timeoutMs);
  snapshot: Storage["snapshot"] = (file) => this.#inner.snapshot(file);
  sizeBytes = (): Promise<number> => this.#inner.sizeBytes();
  [Symbol.asyncDispose] = async (): Promise<void> => this.#inner[Symbol.asyncDispose]();

  async get(...args: Parameters<Storage["get"]>): ReturnType<Storage["get"]> {
    const result = await this.#inner.get(...args);
    return { ...result, entry: await this.#open(result.entry) };
  }

  async range(...args: Parameters<Storage["range"]>): ReturnType<Storage["range"]> {
    const result = await this.#inner.range(...args);
    const entries: Entry[] = [];
    for (const entry of result.entries) entries.push((await this.#open(entry)) ?? entry);
    return { ...result, entries };
  }

  async put(key: Put[0], value: Put[1], options: Put[2]): ReturnType<Storage["put"]> {
    const first = this.#ruleOf(key)?.providers[0];
    if (!first || first === "identity")
      return this.#result(await this.#inner.put(key, value, options));
    const sealed = await first.encrypt(value, key);
    this.#written.set(sealed, value);
    return this.#result(await this.#inner.put(key, sealed, options));
  }

  /** Whether a key's value is stored with an outdated key or provider: then a write without changes renews it. */
  async isStale(key: string): Promise<boolean> {
    const first = this.#ruleOf(key)?.providers[0];
    const { entry } = await this.#inner.get(key);
    if (!first || !entry) return false;
    if (first === "identity") return startsWith(entry.value, encryptedPrefix);
    return !startsWith(entry.value, first.prefix) || (first.isStale?.(entry.value) ?? false);
  }

  async delete(...args: Parameters<Storage["delete"]>): ReturnType<Storage["delete"]> {
    return this.#result(await this.#inner.delete(...args));
  }

  async *watch(...args: Parameters<Storage["watch"]>): AsyncIterable<WatchBatch> {
    for await (const batch of this.#inner.watch(...args)) {
      const isPlain = batch.events.every((event) => !this.#ruleOf(keyOf(event)));
      if (isPlain) yield batch;
      else {
        const events: WatchEvent[] = [];
        for (const event of batch.events) events.push(await this.#openEvent(event));
        yield { ...batch, events };
      }
    }
  }

  async #result(result: Awaited<ReturnType<Storage["put"]>>): ReturnType<Storage["put"]> {
    if (result.done) return result;
    return { ...result, current: await this.#open(result.current) };
  }

  async #openEvent(event: WatchEvent): Promise<WatchEvent> {
    const previous = await this.#open(event.previous);
    if (event.type !== "put") return { ...event, previous };
    return { ...event, entry: (await this.#open(event.entry)) ?? event.entry, previous };
  }

  async #open<E extends Entry | undefined>(entry: E): Promise<E> {
    const rule = entry && this.#ruleOf(entry.key);
    if (!entry || !rule) return entry;
    const written = this.#written.get(entry.value);
    const value = written ?? (await this.#decrypt(entry, rule));
    return { ...entry, value };
  }

  async #decrypt({ key, value }: Entry, { providers }: EncryptionRule): Promise<Uint8Array> {
    const isEncrypted = startsWith(value, encryptedPrefix);
    for (const provider of providers) {
      if (provider === "identity") {
        if (!isEncrypted) return value;
      } else if (startsWith(value, provider.prefix)) {
        try {
          const opened = await provider.decrypt(value, key);
          this.#written.set(value, opened);
          return opened;
        } catch (error) {
          throw new StorageError(`unable to transform key "${key}": ${(error as Error).message}`);
        }
      }
    }
    throw new StorageError(`unable to transform key "${key}": no matching prefix found`);
  }
}

const keyOf = (event: WatchEvent): string => (event.type === "put" ? event.entry.key : event.key);

const startsWith = (value: Uint8Array, prefix: Buffer): boolean =>
  value.length >= prefix.length && prefix.equals(value.subarray(0, prefix.length));
