import { type Signal, signal } from "@preact/signals";
import { permits, type Rules, type Wish } from "../model/rules.ts";
import { getJson } from "./api.ts";

/** Limit of namespaces whose rules are kept (count): as many as a user visits. */
const keptNamespaces = 200;

const known = new Map<string, Signal<Rules | undefined>>();

/** What the user may do in a namespace; undefined until it is known. Asked once, when it is first needed. */
function rulesIn(namespace: string): Signal<Rules | undefined> {
  const found = known.get(namespace);
  if (found) return found;
  if (known.size >= keptNamespaces) known.clear();
  const rules = signal<Rules | undefined>(undefined);
  known.set(namespace, rules);
  void readRules(namespace).then(
    (answer) => (rules.value = answer),
    () => (rules.value = { rules: [], isIncomplete: true }),
  );
  return rules;
}

async function readRules(namespace: string): Promise<Rules> {
  const { status } = await getJson<{
    readonly status?: { readonly resourceRules?: Rules["rules"]; readonly incomplete?: boolean };
  }>("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
    method: "POST",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace },
    },
  });
  return { rules: status?.resourceRules ?? [], isIncomplete: status?.incomplete ?? false };
}

/** Forgets what users before were permitted. */
export function forgetPermissions(): void {
  known.clear();
}

/** Whether it is known what the user may do in a namespace. It is asked for if it is not. */
export const knowsRights = (namespace: string | undefined): boolean =>
  rulesIn(namespace ?? "default").value !== undefined;

/** Resolves when it is known what the user may do in a namespace. */
export function whenRightsKnown(namespace: string | undefined): Promise<void> {
  const rules = rulesIn(namespace ?? "default");
  return new Promise((resolve) => {
    const end = rules.subscribe((found) => {
      if (found === undefined) return;
      resolve();
      queueMicrotask(() => end());
    });
  });
}

/**
 * Whether the user may do something; false until it is known. Without a namespace, the rules of the one that is used for
 * everything are asked: they contain those of the cluster.
 */
export function may(wish: Wish, namespace: string | undefined): boolean {
  const rules = rulesIn(namespace ?? "default").value;
  return rules !== undefined && permits(rules, wish);
}
