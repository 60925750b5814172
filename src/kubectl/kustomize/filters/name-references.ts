/** Upstream: sigs.k8s.io/kustomize/api/filters/nameref, api/internal/accumulator/namereferencetransformer.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import { changeFields } from "../config/change-fields.ts";
import { fullGvk, type NameReferences } from "../config/field-spec.ts";
import { KustomizeError, within } from "../failure/kustomize-error.ts";
import type { Resource } from "../resource/resource.ts";
import { effectiveNamespace, idText, isSelected } from "../resource/resource-id.ts";
import { isClusterScoped } from "../resource/scope.ts";
import { setField, setScalar } from "../yaml/edit-node.ts";
import { scalarNode, type YamlNode } from "../yaml/yaml-node.ts";
import {
  type Candidate,
  indexCandidates,
  type Reference,
  selectReferral,
} from "./select-referral.ts";

/** Updates references to objects whose names have changed. */
export function updateNameReferences(
  resources: readonly Resource[],
  references: readonly NameReferences[],
): void {
  const candidates = indexCandidates(resources);
  for (const referrer of resources) {
    const id = referrer.originalId;
    let isReachable: Reference["isReachable"] | undefined;
    for (const target of references) {
      for (const { path, ...gvk } of target.fieldSpecs) {
        if (!isSelected(id, gvk)) continue;
        isReachable ??= reachableFrom(referrer);
        update({ referrer, target: fullGvk(target), path, candidates, isReachable });
      }
    }
  }
}

/** The objects that another one may refer to: of its namespace, cluster-scoped ones, and accounts of a RoleBinding. */
function reachableFrom(referrer: Resource): Reference["isReachable"] {
  const { id } = referrer;
  if (isClusterScoped(id)) return () => true;
  const own = effectiveNamespace(id);
  const others = accountNamespaces(referrer);
  return (other) =>
    isClusterScoped(other.id) ||
    effectiveNamespace(other.id) === own ||
    others.has(other.id.namespace);
}

function accountNamespaces({ kind, node, id }: Resource): ReadonlySet<string> {
  if (kind !== "RoleBinding") return new Set();
  const accounts = (node.field("subjects")?.items ?? []).filter(
    (subject) => subject.field("kind")?.value === "ServiceAccount" && subject.field("namespace"),
  );
  const namespaces = accounts.map((subject) => subject.field("namespace"));
  if (namespaces.some((namespace) => namespace?.isNull)) {
    throw new KustomizeError(
      `Invalid Input: namespace is blank for resource ${goQuote(idText(id))}\n`,
    );
  }
  return new Set(namespaces.map((namespace) => namespace?.value ?? ""));
}

function update(reference: Reference): void {
  const { referrer, path } = reference;
  try {
    changeFields(referrer.node, { path }, { change: (field) => updateField(field, reference) });
  } catch (error) {
    throw within(`updating name reference in '${path}' field of '${idText(referrer.id)}'`, error);
  }
}

function updateField(field: YamlNode, reference: Reference): void {
  if (field.isNull) return;
  if (field.kind === "scalar") updateName(field, reference);
  else if (field.kind === "mapping") updateMapping(field, reference);
  else for (const item of field.items) updateField(item, reference);
}

function updateName(field: YamlNode, reference: Reference): void {
  const referral = selectReferral(field.value, reference, ({ name }) => name);
  if (!referral) return;
  referral.addReferrer(idText(reference.referrer.id));
  if (referral.name !== field.value) setScalar(field, scalarNode(referral.name));
}

function updateMapping(field: YamlNode, reference: Reference): void {
  const old = field.field("name");
  if (!old) throw new KustomizeError("path config error; no 'name' field in node");
  const isReachable = withinNamespace(field.field("namespace"), reference);
  const referral = selectReferral(
    old.value,
    { ...reference, isReachable },
    ({ name, namespace }) => `${namespace}/${name}`,
  );
  if (!referral) return;
  referral.addReferrer(idText(reference.referrer.id));
  const { name, namespace } = referral;
  if (name === old.value && namespace === "") return;
  setField(field, "name", scalarNode(name));
  if (namespace !== "") setField(field, "namespace", scalarNode(namespace));
}

/** Only objects whose original namespace matches, or if there are none, those whose current namespace matches. */
function withinNamespace(
  namespace: YamlNode | undefined,
  { candidates, isReachable }: Reference,
): Reference["isReachable"] {
  if (!namespace) return isReachable;
  const wasThere = ({ originalId }: Candidate): boolean =>
    effectiveNamespace(originalId) === namespace.value;
  const isThere = ({ id }: Candidate): boolean => effectiveNamespace(id) === namespace.value;
  const counts = candidates.all.some((each) => wasThere(each) && isReachable(each))
    ? wasThere
    : isThere;
  return (each) => counts(each) && isReachable(each);
}
