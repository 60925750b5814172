import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { seededRandom } from "#/std/base/random.ts";
import { hostileInput } from "./mutate.ts";

type Bytes = string | Uint8Array;
// biome-ignore lint/suspicious/noExplicitAny: a constructor is only used for instanceof.
type ErrorClass = abstract new (...args: any[]) => Error;

/** A parser of untrusted bytes, and its guarantees. */
export interface HostileParser<T = unknown> {
  readonly name: string;
  /** Valid inputs, which are then mutated. */
  readonly corpus: readonly Bytes[];
  readonly parse: (input: Buffer) => MaybePromise<T>;
  /** The only errors that may be thrown. `Error` means that class itself, not its subclasses. */
  readonly errors: readonly ErrorClass[];
  /** Writes a parsed value: it must parse again, to a value that is written the same way. */
  readonly write?: (value: T) => Bytes;
  /** Words of the format, inserted at random places. */
  readonly tokens?: readonly string[];
  /** Inputs of about the given number of bytes, for the comparison of sizes. */
  readonly grows?: readonly Growth[];
  /**
   * The size at which growth is compared; default 64 KiB. A larger one detects repeated copies of
   * the input.
   */
  readonly growthBytes?: number;
  /** Inputs in the gate; default 150. Fewer for slow parsers. */
  readonly inputs?: number;
}

/** A text that is repeated, or a function of the number of bytes. */
export type Growth = string | ((bytes: number) => Bytes);

/** Drops the type of a parser's values, so that parsers fit into one list. */
export function hostileParser<T>(parser: HostileParser<T>): HostileParser {
  // write() only gets values that parse() returned.
  return parser as unknown as HostileParser;
}

const toBuffer = (bytes: Bytes): Buffer =>
  typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes);

/** The input of this number, from a seed: independent of earlier inputs. */
export function inputOf({ name, corpus, tokens = [] }: HostileParser, seed: number, index: number) {
  let mixed = seed >>> 0;
  for (const char of `${name} ${index}`) mixed = Math.imul(mixed ^ char.charCodeAt(0), 0x01000193);
  return hostileInput(seededRandom(mixed), corpus.map(toBuffer), tokens.map(toBuffer));
}

/** The corpus itself: each item must parse. */
export async function checkCorpus(parser: HostileParser): Promise<void> {
  for (const item of parser.corpus) {
    const input = toBuffer(item);
    const value = await parser.parse(input);
    await checkWritten(parser, value);
  }
}

/** Throws unless the parser accepts the input, or refuses it with one of its errors. */
export async function checkInput(parser: HostileParser, input: Buffer): Promise<void> {
  let value: unknown;
  try {
    value = await parser.parse(input);
  } catch (error) {
    if (isOwn(parser, error)) return;
    throw new Error(`threw ${describe(error)}`, { cause: error });
  }
  checkPrototype();
  await checkWritten(parser, value);
}

async function checkWritten(parser: HostileParser, value: unknown): Promise<void> {
  if (!parser.write) return;
  const first = toBuffer(parser.write(value));
  let again: unknown;
  try {
    again = await parser.parse(Buffer.from(first));
  } catch (error) {
    throw new Error(`what it wrote does not parse: ${describe(error)}\n${sample(first)}`, {
      cause: error,
    });
  }
  const second = toBuffer(parser.write(again));
  if (first.equals(second)) return;
  throw new Error(`parsed again it is written otherwise:\n${sample(first)}\n${sample(second)}`);
}

function isOwn({ errors }: HostileParser, error: unknown): boolean {
  return errors.some((type) =>
    type === Error ? (error as Error)?.constructor === Error : error instanceof type,
  );
}

function checkPrototype(): void {
  if (Object.keys(Object.prototype).length > 0) throw new Error("changed Object.prototype");
}

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.constructor.name}: ${error.stack?.slice(0, 1500)}` : `${error}`;

const sample = (bytes: Buffer): string => JSON.stringify(bytes.toString("latin1", 0, 300));
