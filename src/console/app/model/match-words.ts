/** A choice of the palette. */
export interface Choice {
  readonly label: string;
  /** Other words by which it is found. */
  readonly words?: string;
}

/**
 * How well a choice fits what was typed; 0 if not at all. Each word must occur: best at the begin of the label, then of a
 * word, then anywhere.
 */
function fitOf({ label, words = "" }: Choice, typed: string): number {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const own = label.toLowerCase();
  const all = `${own} ${words.toLowerCase()}`;
  let fit = 1;
  for (const part of parts) {
    const at = all.indexOf(part);
    if (at < 0) return 0;
    if (own === part) fit += 8;
    else if (at === 0) fit += 4;
    else fit += /[\s/.-]/.test(all[at - 1] ?? "") ? 2 : 1;
  }
  return fit;
}

/** The choices that fit, the best first; of equal ones, those that come first and are shorter. */
export function fittingChoices<C extends Choice>(
  choices: readonly C[],
  typed: string,
  limit: number,
): C[] {
  return choices
    .map((choice) => ({ choice, fit: fitOf(choice, typed) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit || (typed ? a.choice.label.length - b.choice.label.length : 0))
    .slice(0, limit)
    .map(({ choice }) => choice);
}
