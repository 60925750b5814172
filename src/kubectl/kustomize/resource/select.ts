/** Upstream: sigs.k8s.io/kustomize/api/types/selector.go, api/resmap/reswrangler.go. */
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Selector } from "../kustomization/kustomization.ts";
import type { Resource } from "./resource.ts";
import { effectiveNamespace, type Gvk, type ResourceId } from "./resource-id.ts";

type Test = (text: string) => boolean;

/** The regular expressions of a selector, each anchored at both ends. */
interface SelectorPatterns {
  matchesKind(gvk: Gvk): boolean;
  readonly matchesName: Test;
  readonly matchesNamespace: Test;
}

export function compileSelector(selector: Selector): SelectorPatterns {
  const [group, version, kind, name, namespace] = [
    selector.group,
    selector.version,
    selector.kind,
    selector.name,
    selector.namespace,
  ].map(wholePattern) as [Test, Test, Test, Test, Test];
  return {
    matchesKind: (gvk) => group(gvk.group) && version(gvk.version) && kind(gvk.kind),
    matchesName: name,
    matchesNamespace: namespace,
  };
}

function wholePattern(pattern = ""): Test {
  if (pattern === "") return () => true;
  try {
    const regex = new RegExp(`^(?:${pattern})$`, "u");
    return (text) => regex.test(text);
  } catch (error) {
    throw new KustomizeError(`error parsing regexp: \`^(?:${pattern})$\``, { cause: error });
  }
}

/** True if labels and annotations match a selector. */
export function matchesMetadata(resource: Resource, selector: Selector): boolean {
  return (
    parseSelector(selector.labelSelector ?? "").matches(resource.labels) &&
    parseSelector(selector.annotationSelector ?? "").matches(resource.annotations)
  );
}

/** The objects that a selector matches, by their current or their original names. */
export function selectResources(resources: readonly Resource[], selector: Selector): Resource[] {
  const patterns = compileSelector(selector);
  return resources.filter((resource) => {
    const { id, originalId } = resource;
    const either = (test: (each: ResourceId) => boolean): boolean => test(originalId) || test(id);
    return (
      either((each) => patterns.matchesNamespace(effectiveNamespace(each))) &&
      either((each) => patterns.matchesName(each.name)) &&
      patterns.matchesKind(resource.gvk) &&
      matchesMetadata(resource, selector)
    );
  });
}
