/** Upstream: sigs.k8s.io/kustomize/api/filters/namespace. */
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { changeAllFields } from "../config/change-fields.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import { within } from "../failure/kustomize-error.ts";
import { isClusterScoped } from "../resource/scope.ts";
import { NodeKindError, setField, setScalar } from "../yaml/edit-node.ts";
import { scalarNode, tags, type YamlNode } from "../yaml/yaml-node.ts";

/** The subjects of a RoleBinding whose namespace is set. */
export type SubjectMode = "defaultOnly" | "none" | "allServiceAccounts";

interface NamespaceSettings {
  readonly namespace: string;
  readonly specs: readonly FieldSpec[];
  /** True to keep existing namespaces. */
  readonly unsetOnly: boolean;
  readonly subjects: SubjectMode;
}

const bindings = ["RoleBinding", "ClusterRoleBinding"];

/** Sets the namespace of an object, and namespaces in its fields. */
export function setNamespace(node: YamlNode, settings: NamespaceSettings): void {
  const apiVersion = node.field("apiVersion")?.value ?? "";
  const kind = node.field("kind")?.value ?? "";
  const set = (field: YamlNode): void => {
    const isFilled = settings.unsetOnly && !field.isNull && field.value !== "";
    if (!isFilled) setScalar(field, scalarNode(settings.namespace, tags.string));
  };
  const create = { kind: "scalar", tag: tags.string } as const;
  if (!isClusterScoped({ ...parseApiVersion(apiVersion), kind })) {
    changeAllFields(node, [{ path: "metadata/namespace", create: true }], { change: set, create });
  }
  const isBinding = bindings.includes(kind);
  if (isBinding) setSubjects(node, settings.subjects, set);
  const specs = settings.specs.filter(
    (spec) =>
      spec.path !== "metadata/namespace" &&
      (apiVersion === "v1" || spec.path !== "metadata/name") &&
      !(isBinding && bindings.includes(spec.kind ?? "") && spec.path === "subjects/namespace"),
  );
  try {
    changeAllFields(node, specs, { change: set, create });
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    const isKind = cause instanceof NodeKindError && cause.actual !== "scalar";
    throw within(
      isKind ? "namespace field specs must target scalar nodes" : "namespace transformation failed",
      error,
    );
  }
}

function setSubjects(node: YamlNode, mode: SubjectMode, set: (field: YamlNode) => void): void {
  if (mode === "none") return;
  const [name, value] = mode === "defaultOnly" ? ["name", "default"] : ["kind", "ServiceAccount"];
  for (const subject of node.field("subjects")?.items ?? []) {
    if (subject.field(name)?.value !== value) continue;
    if (!subject.field("namespace")) setField(subject, "namespace", scalarNode(""));
    const field = subject.field("namespace");
    if (field) set(field);
  }
}
