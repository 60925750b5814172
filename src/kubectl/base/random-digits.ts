import { randomInt, systemRandom } from "#/std/base/random.ts";

/** Digits for the name of a file that is of no use for long, as Go's os.CreateTemp makes them. */
export function randomDigits(): string {
  return String(randomInt(systemRandom, 2 ** 32));
}
