import { editDistance } from "#/std/text/edit-distance.ts";

/** Limit of differing letters for a flag that may have been meant. */
const maxDistance = 2;

/** What pflag says of a flag that a command doesn't have, with the flag that may have been meant. */
export function withNearFlag(message: string, flags: readonly string[]): string {
  const given = /^unknown flag: --(.+)$/.exec(message)?.[1];
  if (given === undefined) return message;
  const [near] = flags
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .filter(({ name, distance }) => distance <= maxDistance || isBeginning(given, name))
    .sort((a, b) => a.distance - b.distance);
  return near ? `${message}; did you mean --${near.name}?` : message;
}

/** Whether a word is enough of the beginning of a name to mean it. */
const isBeginning = (word: string, name: string): boolean =>
  word.length > 2 && name.startsWith(word);
