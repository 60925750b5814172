/** Upstream: sigs.k8s.io/kustomize/api/filters/replacement. */
import { goQuote } from "#/std/go/go-quote.ts";
import { messageOf } from "../../base/errors.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type {
  Replacement,
  ReplacementOptions,
  ReplacementSource,
  ReplacementTarget,
  Selector,
} from "../kustomization/kustomization.ts";
import type { Resource } from "../resource/resource.ts";
import { idText, isSelectedBy, type ResourceId } from "../resource/resource-id.ts";
import { compileSelector, matchesMetadata } from "../resource/select.ts";
import { findAll, lookUp, splitDotted } from "../yaml/node-path.ts";
import { isNilOrEmpty, scalarNode, type YamlNode } from "../yaml/yaml-node.ts";
import { replaceInText } from "./replace-in-text.ts";

const defaultPath = "metadata.name";

/** Copies the source value of a replacement to all its targets. */
export function replaceFields(resources: readonly Resource[], replacement: Replacement): void {
  const { source, sourceValue, targets } = replacement;
  if ((source === undefined && sourceValue === undefined) || targets === undefined) {
    throw new KustomizeError("replacements must specify a source and at least one target");
  }
  if (source !== undefined && sourceValue !== undefined) {
    throw new KustomizeError("value and resource selectors are mutually exclusive");
  }
  const value =
    source === undefined ? scalarNode(sourceValue ?? "") : sourceNode(resources, source);
  for (const target of targets) replaceTargets(resources, value, target);
}

function sourceNode(resources: readonly Resource[], source: ReplacementSource): YamlNode {
  const matches = resources.filter((resource) =>
    idsOf(resource).some((id) => isSelectedBy(id, source)),
  );
  const [only] = matches;
  if (matches.length > 1) {
    throw new KustomizeError(`multiple matches for selector ${sourceText(source)}`);
  }
  if (!only) throw new KustomizeError(`nothing selected by ${sourceText(source)}`);
  const fieldPath = source.fieldPath || defaultPath;
  let value: YamlNode | undefined;
  try {
    value = lookUp(only.node, splitDotted(fieldPath));
  } catch (error) {
    throw new KustomizeError(`error looking up replacement source: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (value === undefined || isNilOrEmpty(value)) {
    throw new KustomizeError(
      `fieldPath \`${fieldPath}\` is missing for replacement source ${idText(fullId(source))}`,
    );
  }
  return refined(value, source.options);
}

function fullId(partial: Partial<ResourceId>): ResourceId {
  const { group = "", version = "", kind = "", name = "", namespace = "" } = partial;
  return { group, version, kind, name, namespace };
}

function sourceText(source: ReplacementSource): string {
  const { fieldPath = "", options } = source;
  const { delimiter = "", create = false, index = 0 } = options ?? {};
  const shown = delimiter === "" && !create ? "" : `${delimiter}(${index}), create=${create}`;
  return [idText(fullId(source)), fieldPath, shown].filter((part) => part !== "").join(":");
}

/** The current id first, then previous ones. */
function idsOf(resource: Resource): ResourceId[] {
  return [resource.id, ...resource.previousIds];
}

function refined(value: YamlNode, options: ReplacementOptions = {}): YamlNode {
  const { delimiter = "", index = 0 } = options;
  if (delimiter === "") return value;
  if (value.kind !== "scalar") {
    throw new KustomizeError("delimiter option can only be used with scalar nodes");
  }
  const part = value.value.split(delimiter)[index];
  if (part === undefined || index < 0) {
    throw new KustomizeError(`options.index ${index} is out of bounds for value ${value.value}`);
  }
  const copied = value.copy();
  copied.value = part;
  return copied;
}

function replaceTargets(
  resources: readonly Resource[],
  value: YamlNode,
  target: ReplacementTarget,
): void {
  const { select, reject = [] } = target;
  if (!select) throw new KustomizeError("target must specify resources to select");
  const isSelected = idMatcher(select);
  const rejects = reject.filter(hasId).map(idMatcher);
  const byMetadata = reject.filter((each) => each.annotationSelector || each.labelSelector);
  for (const resource of resources) {
    if (!matchesMetadata(resource, select)) continue;
    if (byMetadata.some((each) => matchesMetadata(resource, each))) continue;
    const ids = idsOf(resource);
    if (ids.some((id) => rejects.some((matches) => matches(id)))) continue;
    if (ids.some(isSelected)) copyToFields(resource.node, value, target);
  }
}

function hasId({ group, version, kind, name, namespace }: Selector): boolean {
  return Boolean(group || version || kind || name || namespace);
}

function idMatcher(selector: Selector): (id: ResourceId) => boolean {
  const patterns = compileSelector(selector);
  return (id) =>
    patterns.matchesKind(id) &&
    patterns.matchesName(id.name) &&
    patterns.matchesNamespace(id.namespace);
}

function copyToFields(
  object: YamlNode,
  value: YamlNode,
  { fieldPaths = [], options = {} }: ReplacementTarget,
): void {
  const create = options.create === true ? value.kind : undefined;
  for (const fieldPath of fieldPaths.length === 0 ? [defaultPath] : fieldPaths) {
    const path = splitDotted(fieldPath);
    if (replaceInText(object, value, path, create)) continue;
    const verb = create === undefined ? "find" : "find or create";
    const failure = `unable to ${verb} field ${goQuote(fieldPath)} in replacement target`;
    let fields: YamlNode[] | undefined;
    try {
      fields = findAll(object, path, create);
    } catch (error) {
      throw new KustomizeError(`${failure}: ${messageOf(error)}`, { cause: error });
    }
    if (!fields || fields.length === 0) throw new KustomizeError(failure);
    for (const field of fields) setValue(field, value, options);
  }
}

function setValue(field: YamlNode, given: YamlNode, options: ReplacementOptions): void {
  const value = given.copy();
  const { delimiter = "", index = 0 } = options;
  if (delimiter !== "") {
    if (field.kind !== "scalar") {
      throw new KustomizeError("delimiter option can only be used with scalar nodes");
    }
    const parts = field.value.split(delimiter);
    const part = value.isNull ? "" : value.value;
    if (index < 0) parts.unshift(part);
    else if (index >= parts.length) parts.push(part);
    else parts[index] = part;
    value.value = parts.join(delimiter);
  }
  if (field.kind === "scalar") field.value = value.value;
  else field.assign(value);
}
