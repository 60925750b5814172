/**
 * Levenshtein distance: the number of letters to add, remove or replace to turn one word into the
 * other.
 */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const least = Math.min(row[j] ?? 0, next[j - 1] ?? 0, row[j - 1] ?? 0);
      next.push(same ? (row[j - 1] ?? 0) : least + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
