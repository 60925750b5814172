import { randomInt as drawInt, systemRandom } from "#/std/base/random.ts";

/** No vowels and no similar characters, so that names never contain words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

const suffixLength = 5;

/** Limit of the base (characters): the name with its suffix must fit a DNS label. */
const maxBaseLength = 63 - suffixLength;

/** A whole number from 0 up to but not including the limit. */
export type RandomInt = (limit: number) => number;

const randomInt: RandomInt = (limit) => drawInt(systemRandom, limit);

/**
 * A name from metadata.generateName and a random suffix.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/names/generate.go,
 * staging/src/k8s.io/apimachinery/pkg/util/rand/rand.go.
 */
export function generateName(base: string, random: RandomInt = randomInt): string {
  return base.slice(0, maxBaseLength) + randomSuffix(suffixLength, random);
}

/** Random characters that are safe in any name. */
export function randomSuffix(length: number, random: RandomInt = randomInt): string {
  let suffix = "";
  for (let index = 0; index < length; index++) suffix += alphabet.charAt(random(alphabet.length));
  return suffix;
}

/** Encodes a number, such as a hash, in safe characters: each digit is mapped to one of them. */
export function safeEncode(digits: string): string {
  return Array.from(digits, (char) =>
    alphabet.charAt((char.codePointAt(0) ?? 0) % alphabet.length),
  ).join("");
}
