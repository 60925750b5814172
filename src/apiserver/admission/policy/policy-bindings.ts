import type { Namespace } from "#/api/core/v1.ts";
import type { PolicyBindings } from "#/machinery/cel/admission/policy-run.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ApiObject, Decoded } from "../../registry/strategy.ts";
import { describeRequest } from "../request/admission-request.ts";
import { getNamespace } from "../request/matched-objects.ts";
import type { Target } from "../request/matched-request.ts";
import type { RequestAuthorizer } from "../request/request-authorizer.ts";
import type { VersionedObjects } from "../request/versioned-objects.ts";

/** Input of a policy's expressions. */
interface PolicyInput {
  readonly attributes: Attributes;
  readonly target: Target;
  readonly objects: VersionedObjects;
  readonly namespace: object | null;
  readonly params: ApiObject | undefined;
  readonly authorizer: RequestAuthorizer;
}

/** Variables of expressions. */
export function policyBindings(input: PolicyInput): PolicyBindings {
  const { attributes, target, objects, namespace, params, authorizer } = input;
  return {
    object: objects.object ?? null,
    oldObject: objects.oldObject ?? null,
    request: { ...describeRequest(attributes, target), object: null, oldObject: null },
    namespaceObject: namespace,
    params: params ?? null,
    authorizer: authorizer.value,
    requestResource: authorizer.requestResource,
  };
}

/** The same for expressions without an authorizer. */
export function withoutAuthorizer(bindings: PolicyBindings): PolicyBindings {
  const { authorizer, requestResource, ...rest } = bindings;
  return rest;
}

const shownMetadata = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
] as const;

/** The namespace of a request for expressions; null if it has none. 404 if it doesn't exist. */
export async function namespaceObject(
  registry: Registry,
  { namespace, kind }: Attributes,
): Promise<object | null> {
  const isNamespace = kind.kind === "Namespace" && kind.version === "v1" && kind.group === "";
  if (namespace === "" || isNamespace) return null;
  const found: Decoded<Namespace> = await getNamespace(registry, namespace);
  const metadata = Object.fromEntries(
    shownMetadata.flatMap((field) => {
      const value = found.metadata[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  return { metadata, spec: found.spec ?? {}, status: found.status ?? {} };
}
