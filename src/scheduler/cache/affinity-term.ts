import type { Namespace, PodAffinityTerm, WeightedPodAffinityTerm } from "#/api/core/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { type Labels, nothing, type Selector } from "#/machinery/meta/labels.ts";
import { oncePerLabelSet } from "./label-sets.ts";

/** A compiled term of pod affinity: the pods that it selects, and its topology key. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** The parts of a pod that a term selects by. */
interface TermSubject {
  readonly namespace: string;
  readonly labels: Labels;
}

/**
 * Compiles the terms of a pod in a namespace. Throws SelectorError.
 *
 * Upstream: staging/src/k8s.io/kube-scheduler/framework/types.go.
 */
export function compileTerms(
  namespace: string,
  terms: readonly PodAffinityTerm[] | undefined,
): readonly AffinityTerm[] {
  if (terms === undefined) return [];
  return terms.map((term) => intern(namespace, term, () => compileTerm(namespace, term)));
}

/** Compiles preferences; those of weight 0 are left out. Throws SelectorError. */
export function compileWeightedTerms(
  namespace: string,
  terms: readonly WeightedPodAffinityTerm[] | undefined,
): readonly WeightedAffinityTerm[] {
  return (terms ?? []).map((term) => {
    const { weight, podAffinityTerm } = term;
    return intern(namespace, term, () => ({ ...compileTerm(namespace, podAffinityTerm), weight }));
  });
}

/** Compiled terms by their source. Pods with equal terms share them, and a match is computed once. */
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

/** True if a term selects a pod. Needs the labels of the pod's namespace unless the namespace selector was resolved before. */
function termMatches(term: AffinityTerm, pod: TermSubject, namespaceLabels?: Labels): boolean {
  const inNamespace =
    term.namespaces.has(pod.namespace) || term.namespaceSelector.matches(namespaceLabels);
  return inNamespace && term.selector.matches(pod.labels);
}

/** termMatches() for one pod, computed once for each term. */
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

/** termMatches() of one term for many pods, computed once for each label set. The namespace selector must be resolved. */
export function memoizedTerm(term: AffinityTerm): (pod: TermSubject) => boolean {
  const matches = oncePerLabelSet((labels) => term.selector.matches(labels));
  const everywhere = term.namespaceSelector.isEverything;
  return (pod) => (everywhere || term.namespaces.has(pod.namespace)) && matches(pod.labels);
}

/** True if there are terms and all of them select the pod. */
export function matchesAllTerms(terms: readonly AffinityTerm[], pod: TermSubject): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, pod));
}

/** True if at least one of the terms selects the pod. */
export function matchesAnyTerm(terms: readonly AffinityTerm[], pod: TermSubject): boolean {
  return terms.some((term) => termMatches(term, pod));
}

/** The term with its namespace selector resolved to the names that it selects now. */
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
