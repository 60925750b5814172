/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins. */
import { goQuote } from "#/std/go-quote.ts";
import { CommandError } from "../errors.ts";
import { type BuildResource, idText, isClusterScoped } from "./build-resource.ts";
import * as defaults from "./default-field-specs.ts";
import { changeFields, type FieldSpec, isOfKind } from "./field-specs.ts";
import type { ImageArgs, Kustomization, LabelArgs } from "./kustomization.ts";

type Resources = readonly BuildResource[];

/** Field specifications: the built-in ones and those of configurations. */
export interface FieldSpecs {
  readonly commonLabels: readonly FieldSpec[];
  readonly labels: readonly FieldSpec[];
  readonly templateLabels: readonly FieldSpec[];
  readonly commonAnnotations: readonly FieldSpec[];
  readonly images: readonly FieldSpec[];
  readonly replicas: readonly FieldSpec[];
  readonly namespace: readonly FieldSpec[];
  readonly nameReference: readonly defaults.NameReferences[];
}

export const defaultFieldSpecs: FieldSpecs = {
  commonLabels: defaults.commonLabels,
  labels: [],
  templateLabels: defaults.templateLabels,
  commonAnnotations: defaults.commonAnnotations,
  images: defaults.images,
  replicas: defaults.replicas,
  namespace: defaults.namespaces,
  nameReference: defaults.nameReferences,
};

/** Puts all objects into a namespace. */
export function setNamespace(
  resources: Resources,
  namespace: string,
  specs: readonly FieldSpec[],
): void {
  for (const resource of resources) {
    resource.remember();
    const { object } = resource;
    if (!isClusterScoped(resource.id)) resource.metadata.namespace = namespace;
    else if (isOfKind(object, { version: "v1", kind: "Namespace" }) && object.apiVersion === "v1") {
      resource.metadata.name = namespace;
    }
    if (object.kind === "RoleBinding" || object.kind === "ClusterRoleBinding") {
      const subjects = object["subjects"];
      for (const subject of Array.isArray(subjects) ? subjects : []) {
        if (subject?.name === "default") subject.namespace = namespace;
      }
    }
    for (const spec of specs) changeFields(object, spec, () => namespace, "");
  }
  requireUnique(resources);
}

function requireUnique(resources: Resources): void {
  const seen = new Set<string>();
  for (const { id } of resources) {
    const text = idText(id);
    if (seen.has(text)) {
      throw new CommandError(`namespace transformation produces ID conflict: ${text}`);
    }
    seen.add(text);
  }
}

/** Renames all objects but those whose names mean something else. */
export function addToNames(resources: Resources, prefix: string, suffix: string): void {
  for (const resource of resources) {
    const { kind, group } = resource.originalId;
    if (kind === "CustomResourceDefinition" || kind === "Namespace") continue;
    if (kind === "APIService" && group === "apiregistration.k8s.io") continue;
    if (prefix !== "") resource.prefixes.push(prefix);
    if (suffix !== "") resource.suffixes.push(suffix);
    if (prefix !== "") resource.rename(`${prefix}${resource.name}`);
    if (suffix !== "") resource.rename(`${resource.name}${suffix}`);
  }
}

/** Adds all labels that a kustomization has. */
export function addLabels(
  resources: Resources,
  kustomization: Kustomization,
  specs: FieldSpecs,
): void {
  for (const args of kustomization.labels ?? []) {
    setPairs(resources, args.pairs ?? {}, labelSpecs(args, specs));
  }
  setPairs(resources, kustomization.commonLabels ?? {}, specs.commonLabels);
}

function labelSpecs(args: LabelArgs, specs: FieldSpecs): readonly FieldSpec[] {
  const own = [...(args.fields ?? []), ...specs.labels];
  if (args.includeSelectors) return [...own, ...specs.commonLabels];
  const templates = args.includeTemplates ? specs.templateLabels : [];
  return [...own, ...templates, { path: "metadata/labels", create: true }];
}

/** Sets entries of the maps at the given fields. */
export function setPairs(
  resources: Resources,
  pairs: Readonly<Record<string, string>>,
  specs: readonly FieldSpec[],
): void {
  if (Object.keys(pairs).length === 0) return;
  for (const { object } of resources) {
    for (const spec of specs) {
      changeFields(object, spec, (map) => ({ ...(map as object), ...pairs }), {});
    }
  }
}

/** Sets how many replicas the objects of a name have. */
export function setReplicas(
  resources: Resources,
  { name, count }: { readonly name: string; readonly count: number },
  specs: readonly FieldSpec[],
): void {
  let found = false;
  for (const spec of specs) {
    for (const resource of resources) {
      if (!resource.allIds.some((id) => id.name === name) || !isOfKind(resource.object, spec))
        continue;
      found = true;
      changeFields(resource.object, spec, () => count, 0);
    }
  }
  if (found) return;
  const kinds = specs.map(({ group, version, kind }) =>
    [kind, version || "[noVer]", group || "[noGrp]"].join("."),
  );
  throw new CommandError(
    `resource with name ${name} does not match a config with the following GVK [${kinds.join(" ")}]`,
  );
}

/** Changes names, tags and digests of images. */
export function setImage(resources: Resources, args: ImageArgs, specs: readonly FieldSpec[]): void {
  const change = (value: unknown): unknown =>
    typeof value === "string" ? changedImage(value, args) : undefined;
  for (const { object } of resources) {
    if (object.kind === "CustomResourceDefinition") continue;
    for (const spec of specs) changeFields(object, spec, change);
    changeContainers(object, change);
  }
}

/** Containers are found wherever they are, as in kinds that aren't built in. */
function changeContainers(value: unknown, change: (value: unknown) => unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) changeContainers(item, change);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if ((key === "containers" || key === "initContainers") && Array.isArray(part)) {
      for (const container of part) {
        const image = change(container?.image);
        if (image !== undefined) container.image = image;
      }
    } else changeContainers(part, change);
  }
}

/** An image with another name, tag or digest; undefined if it isn't the one meant. */
export function changedImage(image: string, args: ImageArgs): string | undefined {
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^${args.name}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`);
  } catch (error) {
    throw new CommandError(`invalid image name ${goQuote(args.name)}`, { cause: error });
  }
  if (!pattern.test(image)) return undefined;
  const parts = splitImage(image);
  const name = args.newName || parts.name;
  const newTag = args.newTag === undefined ? "" : String(args.newTag);
  const { digest = "", tagSuffix = "" } = args;
  if (newTag || digest) return joined(name, newTag, digest);
  if (tagSuffix) return joined(name, parts.tag + tagSuffix, "");
  return joined(name, parts.tag, parts.digest);
}

function joined(name: string, tag: string, digest: string): string {
  return `${name}${tag && `:${tag}`}${digest && `@${digest}`}`;
}

function splitImage(image: string): { name: string; tag: string; digest: string } {
  const slash = Math.max(image.indexOf("/"), 0);
  const [, name = "", tag = "", digest = ""] =
    /^([^:@]*)(?::([^@]*))?(?:@(.*))?$/.exec(image.slice(slash)) ?? [];
  return { name: image.slice(0, slash) + name, tag, digest };
}
