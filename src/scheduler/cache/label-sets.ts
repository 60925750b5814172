import type { Labels } from "#/machinery/meta/labels.ts";
import { LruMap } from "#/std/memory/lru-map.ts";

/** Label sets by their content, so that pods with equal labels share one object. */
const interned = new LruMap<string, Labels>(50_000);
const none: Labels = {};

/** The shared object for these labels. */
export function internLabels(labels: Labels | undefined): Labels {
  if (labels === undefined) return none;
  const key = JSON.stringify(labels);
  const found = interned.get(key);
  if (found) return found;
  interned.set(key, labels);
  return labels;
}

/** A predicate of labels that is evaluated once for each label set, however many pods have it. */
export function oncePerLabelSet(test: (labels: Labels) => boolean): (labels: Labels) => boolean {
  const answers = new Map<Labels, boolean>();
  return (labels) => {
    let answer = answers.get(labels);
    if (answer === undefined) {
      answer = test(labels);
      answers.set(labels, answer);
    }
    return answer;
  };
}
