import { randomInt, systemRandom } from "#/std/base/random.ts";

/** Digits for the name of a temporary file, as Go's os.CreateTemp makes them. */
export function randomDigits(): string {
  return String(randomInt(systemRandom, 2 ** 32));
}
