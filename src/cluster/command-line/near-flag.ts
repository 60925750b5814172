import { editDistance } from "#/std/text/edit-distance.ts";

/** Limit of differing letters (count) for a suggested flag. */
const maxDistance = 2;

/** pflag's message for an unknown flag, with the most similar flag. */
export function withNearFlag(message: string, flags: readonly string[]): string {
  const given = /^unknown flag: --(.+)$/.exec(message)?.[1];
  if (given === undefined) return message;
  const [near] = flags
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .filter(({ name, distance }) => distance <= maxDistance || isBeginning(given, name))
    .sort((a, b) => a.distance - b.distance);
  return near ? `${message}; did you mean --${near.name}?` : message;
}

/** True if a word is a sufficient prefix of a name. */
const isBeginning = (word: string, name: string): boolean =>
  word.length > 2 && name.startsWith(word);
