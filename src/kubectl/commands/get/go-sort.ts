/**
 * Sorts as Go's sort.Sort does, also where an order contradicts itself (objects without the field each come before the other): short lists by
 * insertion, which shows in the result. Longer ones are merged: Go leaves open how they stand that are equal.
 */
export function goSort<T>(items: readonly T[], isLess: (a: T, b: T) => boolean): T[] {
  return items.length <= maxInsertion ? insertionSort(items, isLess) : mergeSort(items, isLess);
}

/** Go sorts by insertion up to this length. */
const maxInsertion = 12;

function insertionSort<T>(items: readonly T[], isLess: (a: T, b: T) => boolean): T[] {
  const sorted: T[] = [];
  for (const item of items) {
    let at = sorted.length;
    while (at > 0 && isLess(item, sorted[at - 1] as T)) at--;
    sorted.splice(at, 0, item);
  }
  return sorted;
}

function mergeSort<T>(items: readonly T[], isLess: (a: T, b: T) => boolean): T[] {
  return items.toSorted((a, b) => {
    const [before, after] = [isLess(a, b), isLess(b, a)];
    return before === after ? 0 : before ? -1 : 1;
  });
}
