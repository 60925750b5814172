import type { Namespace, PodAffinityTerm, WeightedPodAffinityTerm } from "#/api/core/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { type Labels, nothing, type Selector } from "#/machinery/meta/labels.ts";
import { oncePerLabelSet } from "./label-sets.ts";

/** A compiled term of pod affinity: which pods it means, and what makes nodes one place. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** What of a pod a term looks at. */
interface TermSubject {
  readonly namespace: string;
  readonly labels: Labels;
}

/**
 * Compiles the terms of a pod in a namespace. Throws SelectorError.
 *
 * Upstream: kube-scheduler/framework/types.go.
 */
export function compileTerms(
  namespace: string,
  terms: readonly PodAffinityTerm[] | undefined,
): readonly AffinityTerm[] {
  if (terms === undefined) return [];
  return terms.map((term) => intern(namespace, term, () => compileTerm(namespace, term)));
}

/** Compiles preferences; those without weight count nothing. Throws SelectorError. */
export function compileWeightedTerms(
  namespace: string,
  terms: readonly WeightedPodAffinityTerm[] | undefined,
): readonly WeightedAffinityTerm[] {
  return (terms ?? []).map((term) => {
    const { weight, podAffinityTerm } = term;
    return intern(namespace, term, () => ({ ...compileTerm(namespace, podAffinityTerm), weight }));
  });
}

/** Compiled terms by what they were made of. Pods of one kind thus share them, and a match is worked out once. */
const interned = new Map<string, AffinityTerm>();
const maxInterned = 10_000;

function intern<Term extends AffinityTerm>(namespace: string, source: object, compile: () => Term) {
  const key = `${namespace}\0${JSON.stringify(source)}`;
  const found = interned.get(key);
  // The same source always compiles to the same type.
  if (found) return found as Term;
  const term = compile();
  if (interned.size >= maxInterned) interned.clear();
  interned.set(key, term);
  return term;
}

function compileTerm(namespace: string, term: PodAffinityTerm): AffinityTerm {
  const { topologyKey, labelSelector, namespaces = [], namespaceSelector } = term;
  const own = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    selector: compileLabelSelector(labelSelector),
    namespaces: new Set(own ? [namespace] : namespaces),
    namespaceSelector: compileLabelSelector(namespaceSelector),
  };
}

/** Whether a term means a pod; labels of the pod's namespace are needed unless namespaces were named before. */
function termMatches(term: AffinityTerm, pod: TermSubject, namespaceLabels?: Labels): boolean {
  const inNamespace =
    term.namespaces.has(pod.namespace) || term.namespaceSelector.matches(namespaceLabels);
  return inNamespace && term.selector.matches(pod.labels);
}

/** Answers termMatches() for one pod, each term once. */
export function memoizedMatch(
  pod: TermSubject,
  namespaceLabels: Labels | undefined,
): (term: AffinityTerm) => boolean {
  const answers = new Map<AffinityTerm, boolean>();
  return (term) => {
    let answer = answers.get(term);
    if (answer === undefined) {
      answer = termMatches(term, pod, namespaceLabels);
      answers.set(term, answer);
    }
    return answer;
  };
}

/** Answers termMatches() of one term for many pods, each label set once. Namespaces must have been named. */
export function memoizedTerm(term: AffinityTerm): (pod: TermSubject) => boolean {
  const matches = oncePerLabelSet((labels) => term.selector.matches(labels));
  const everywhere = term.namespaceSelector.isEverything;
  return (pod) => (everywhere || term.namespaces.has(pod.namespace)) && matches(pod.labels);
}

/** Whether there are terms and a pod is meant by all of them. */
export function matchesAllTerms(terms: readonly AffinityTerm[], pod: TermSubject): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, pod));
}

/** Whether a pod is meant by one of the terms. */
export function matchesAnyTerm(terms: readonly AffinityTerm[], pod: TermSubject): boolean {
  return terms.some((term) => termMatches(term, pod));
}

/** The term with the namespaces that its selector takes now named one by one. */
export function withNamedNamespaces<Term extends AffinityTerm>(
  term: Term,
  all: () => readonly Namespace[],
): Term {
  const { namespaceSelector, namespaces } = term;
  if (namespaceSelector.isEverything || !namespaceSelector.selectable) return term;
  const taken = all().filter(({ metadata }) => namespaceSelector.matches(metadata.labels));
  const names = taken.map(({ metadata }) => metadata.name ?? "");
  return { ...term, namespaces: new Set([...namespaces, ...names]), namespaceSelector: nothing };
}
